# ruff: noqa: SIM905 - hundreds of quoted words could not be read
"""Words that carry no topic, in both languages.

`STOP_WORDS` and `STOP_HAN` are never indexed. `ASKING_WORDS` and `ASKING_HAN` are what a brief says
around its topic ("please design a plan ..."): they may help to rank but never count as covered.
`TASK_WORDS` and `TASK_HAN` stand in every brief ("what are the risks, how is it tested?"): they
count as covered only where a question holds nothing else.
"""

STOP_WORDS = frozenset(
    """
    a about above after again against all also although always am among an and another any anyone
    anything are as at be because been before being below best between both but by came can cannot
    could did do does doing don done down during each either else etc even ever every everyone
    everything few first for from further get gets give given gives go goes going gone got had has
    have having he hence her here hers him his how however i if in indeed instead into is it its
    itself just keep keeps kept know known last later least less let lets like likely ll made
    mainly make makes making many may maybe me might mine more most much must my myself near
    neither never next no nobody none nor not nothing now of off often ok okay on once one only
    onto or other others otherwise ought our ours out over own per perhaps put quite rather re
    really s said same saw say says see seem seems seen shall she should since so some somebody
    someone something sometimes soon still such t take taken takes than thank thanks that the
    their theirs them then there therefore these they thing things this those though through thus
    till to together too toward towards two under unless until up upon us use used uses using
    usually ve very via want wants was way ways we well went were what whatever when whenever
    where wherever whether which while who whoever whom whose why will with within without won
    would yes yet you your yours
    """.split()
)

ASKING_WORDS = frozenset(
    """
    add advise allow allows answer approach ask asked brief build building choose come comes
    compare consider create decide decided decision define deliver describe design designed detail
    details develop development different discuss discussion enable ensure explain explanation
    feature features figure find following good great help idea ideas implement implementation
    important improve improved improvement include included including interested introduce involve
    involved mean means need needed needs new opinion option options outline plan planned planning
    plans please point points possible prepare project proposal propose provide question questions
    recommend recommendation regarding require required requirement requirements right show
    solution solutions solve suggest suggestion sure team tell think thought topic understand
    verify wish work works
    """.split()
)

# A bigram that holds one of these characters is grammar, not topic.
GRAMMAR_CHARACTERS = frozenset("的了吗呢吧嘛啊呀哪么些们这那它她")

STOP_HAN = frozenset(
    """
    一下 一个 一切 一定 一旦 一样 一种 一般 上述 不仅 不会 不但 不再 不可 不同 不应 不得 不必 不是
    不能 不要 不过 与其 为什 为何 为此 乃至 之前 之后 之间 也就 也是 于是 互相 亦即 今后 仍然 从而
    以上 以下 以便 以免 以前 以及 以后 以致 任何 会在 会有 会被 但是 何时 何种 使得 例如 依然 倘若
    假如 像是 先后 全部 关于 其中 其他 其实 其次 具体 再次 几个 凡是 即使 即便 却是 又是 及其 另外
    只是 只有 只能 只要 可以 可是 可能 各个 各种 同时 向来 否则 含有 和其 因为 因此 固然 在于 多个
    多久 多少 多种 大家 大概 太过 如何 如果 如此 对于 对此 将会 尚未 尤其 就是 尽管 已经 并不 并且
    应当 应该 当前 当时 彼此 必须 怎样 怎麽 总之 想要 或是 或者 所以 所有 才能 按照 是不 是什 是否
    是在 是多 是指 最后 最好 最近 有关 有多 有时 有没 本次 来自 某个 根据 正在 此外 此时 每个 每次
    比如 没有 然后 然而 现在 甚至 由于 由此 目前 直到 直接 相关 看来 确实 究竟 等等 简直 算是 而且
    而是 能否 能够 自己 至于 至少 若是 虽然 被称 要不 要多 要是 让我 许多 该如 请问 诸如 谁来 起来
    跟着 较为 过去 还是 还有 进而 进行 通常 通过 都会 都是 都有 随着 难道 非常 首先
    """.split()
)

ASKING_HAN = frozenset(
    """
    一份 一套 一次 一起 介绍 使用 保证 做一 做个 做到 做成 允许 关心 决定 准备 出一 出个 分析 列出
    制定 功能 加入 包含 包括 发表 可否 告诉 回答 团队 围绕 地方 增加 大致 如下 完善 定义 实施 实现
    希望 帮助 帮忙 帮我 应怎 建立 建议 建设 开发 引入 必要 怎样 想做 想法 想要 意见 我想 我要 打算
    推出 描述 提供 提出 搭建 改善 改进 整理 新增 方案 方法 方面 明确 是怎 最佳 有何 涉及 看法 确保
    确定 系统 给出 考虑 能不 要求 要点 规划 解决 解答 解释 计划 讨论 讲讲 设想 设计 评估 说明 说说
    请为 请你 请各 请团 请帮 谈谈 部分 采用 重点 针对 需求 需要 项目
    """.split()
)

TASK_WORDS = frozenset(
    """
    check checked checking checks data happen happens long measure measured measurement
    measurements measures number numbers people person place placed places result results risk
    risks second seconds test tested tester testers testing tests time times
    """.split()
)

TASK_HAN = frozenset(
    """
    判断 安排 指标 数字 数据 时间 检查 测试 界面 看到 知道 结果 衡量 风险 验收 验证
    """.split()
)
