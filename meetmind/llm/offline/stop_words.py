"""Words that say nothing about what a text is about."""

_ENGLISH = """
a an the this that these those it its they them their we us our you your i me my he she his her
and or but nor so if then than because while when where which who whom whose what why how
of in on at by for to from with without within into onto over under between before after during until
about against through per as is are was were be been being am do does did done doing have has had
can could may might must shall should will would not no nor only also too very more most less least
much many few any some all each every both either neither other another same such own
up down out off again once here there now just still already even yet ever never always often
want wants wanted like need needs please let lets make makes made get gets got give gives take takes
use used using allow allows able support supports supported help helps consider think know tell say
should happen happens going go goes come comes new way ways thing things lot kind sort
one two three four five six seven eight nine ten s t re ve ll d m via etc e g i
be ensure ensures possible possibly really quite rather still best better good bad right
speak write down text mean latest least longer shorter total exactly approximately nearly least ready answer
it's don't can't won't team's long soon early late big small high low back sure ok yes
discuss discussion decide decision question questions answer opinion idea ideas proposal
"""
_CHINESE = """
我们 你们 他们 她们 它们 自己 大家 这个 那个 这些 那些 这样 那样 这里 那里 什么 怎么 怎样 如何 为什么
是否 能否 可否 可以 能够 需要 必须 应该 应当 希望 想要 要求 打算 准备 考虑 觉得 认为 知道 进行 实现 支持
使用 通过 对于 关于 根据 按照 因为 所以 如果 但是 而且 并且 或者 以及 还有 然后 同时 不过 只是 就是 不是
没有 还是 已经 正在 一个 一些 一下 一种 每个 所有 全部 其他 其它 目前 现在 以后 之后 之前 以前 时候 方面
多少 多久 几个 怎么办 哪些 哪个 谁来 允许 不能 不要 不会 不得 最多 最少 至少 最好 更加 非常 比较 特别 尽量
讨论 请问 帮我 帮忙 一起 问题 方案 建议 看看 说明 告诉 给出 决定 团队 想法 需求 直接 完成 提供 保证 确保
超过 低于 高于 达到 增加 减少 触发 相同 一次 每年 每天 每次 每月 人员 完整 有效 生效 开始 结束 最长 最短 不超过
抵触 写下 写下来 下来 没有 出现 发生 处理 做到 相关 情况 部分 方式 主要 一定 可能 仍然 依然 以及 其中 之间 以内 以上 以下 左右 什么样
"""
STOP_WORDS = frozenset((_ENGLISH + _CHINESE).split())
