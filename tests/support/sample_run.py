"""A prepared discussion, as (pause in seconds, event) pairs: everything that a run can show."""

from collections.abc import Iterator, Mapping

from meetmind.events import (
    BriefRewritten,
    BudgetChanged,
    DiscussionEvent,
    FloorTaken,
    GuardActed,
    HandedOver,
    IntentRecognised,
    ModelFellBack,
    ModelHeld,
    PassageEvidence,
    PathScore,
    PauseAsked,
    PersonSpoke,
    Point,
    QuestionAnswered,
    QuestionAsked,
    RouteChosen,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWaiting,
    Stance,
    TalkCompacted,
    ToolFinished,
    ToolRequested,
    UtteranceEnded,
    WordsArrived,
)

Timed = tuple[float, DiscussionEvent]


def _passage(
    agent: str, digits: str, title: str, source: str, locator: str, content: str, rank: int
) -> PassageEvidence:
    chinese = any("\u4e00" <= letter <= "\u9fff" for letter in content)
    return PassageEvidence(
        passage_id=f"{agent}_{digits}",
        agent_name=agent,
        title=title,
        source=source,
        locator=locator,
        language="zh" if chinese else "en",
        content=content,
        rank=rank,
        coverage=0.74 - 0.11 * rank,
        matched_terms=("unpaid", "order", "cancel"),
        path_scores=(
            PathScore(path="words", rank=rank, score=11.42 - rank),
            PathScore(path="minilm", rank=rank + 1, score=0.83 - 0.05 * rank),
        ),
        fused_score=0.0325 - 0.001 * rank,
    )


PASSAGES = {
    passage.passage_id: passage
    for passage in (
        _passage(
            "architect",
            "0a1b2c3d4e5f",
            "ADR-014: who owns the state of an order",
            "architect/service-boundaries.docx",
            "section 2",
            "Only `order-service` changes the state of an order. Every other service asks it"
            " through an event and waits for the answer; a direct update of the table is a defect.",
            1,
        ),
        _passage(
            "backend",
            "1a2b3c4d5e6f",
            "订单生命周期：未支付订单",
            "backend/order-lifecycle-zh.md",
            "第 3 节",
            "未支付订单在 15 分钟后自动取消并释放库存。取消由定时任务触发，每分钟扫描一次，"
            "单批最多处理 500 笔。",
            1,
        ),
        _passage(
            "backend",
            "2b3c4d5e6f70",
            "Coupon service handbook: giving a coupon back",
            "backend/coupon-service-handbook.md",
            "section 4",
            "A coupon that was redeemed in an unpaid order returns to the wallet within 60 seconds"
            " of the cancellation event. The service is idempotent on `order_id`.",
            2,
        ),
        _passage(
            "product_manager",
            "3c4d5e6f7081",
            "订单规则：未支付订单",
            "product_manager/order-rules-zh.md",
            "第 1 节",
            "未支付订单在 30 分钟后自动取消。取消前 5 分钟给顾客发一次提醒。",
            1,
        ),
        _passage(
            "frontend",
            "4d5e6f708192",
            "Order page: states and buttons",
            "frontend/ui-handbook.pdf",
            "page 7",
            "A destructive button asks once, in place, and names what will happen. It never stands"
            " first in the tab order.",
            1,
        ),
    )
}

BY_LANGUAGE = {
    "en": {
        "opening": "The brief comes down to three points. My table says who may act:"
        " **only `order-service` changes the state of an order** [architect_0a1b2c3d4e5f]."
        " So a cancellation by the customer is a request to that service, not an update of its"
        " table.\n\n1. How long can an unpaid order be cancelled?\n2. When do coupons come back?\n"
        "3. What does the customer see?",
        "backend": "On how long: “未支付订单在 15 分钟后自动取消并释放库存。”"
        " [backend_1a2b3c4d5e6f] On coupons: “A coupon that was redeemed in an unpaid order returns"
        " to the wallet within 60 seconds of the cancellation event.” [backend_2b3c4d5e6f70]\n\n"
        "Both hold already; a cancellation by the customer would use the same event.",
        "product": "I object on the first point. Our rule for customers says: “未支付订单在 30"
        " 分钟后自动取消。” [product_manager_3c4d5e6f7081] That is twice the time the backend"
        " releases stock after.",
        "frontend": "For the button: “A destructive button asks once, in place, and names what will"
        " happen.” [frontend_4d5e6f708192] So the order page needs one question, not a dialog.",
        "closing": "**Decided:** the customer cancels through `order-service`"
        " [architect_0a1b2c3d4e5f]; coupons return within 60 seconds [backend_2b3c4d5e6f70].\n\n"
        "**Open:** 15 or 30 minutes [backend_1a2b3c4d5e6f] [product_manager_3c4d5e6f7081].\n\n"
        "**Next:** product manager and backend settle the time before the sprint begins.",
        "why": "So that the decisions can be read without the talk.",
        "query": "cancel unpaid order",
        "said": "Gift cards count as payment too. What does the page say then?",
        "question": "Should the button be there for gift cards as well?",
        "choices": "Yes, for both|Only for coupons",
        "question_why": "The handbook does not mention gift cards.",
        "changed": "the person wants gift cards treated the same",
        "open_reason": "the two documents still disagree",
    },
    "zh": {
        "opening": "这个需求归结为三个问题。我的资料里写明了谁有权操作："
        "**只有 `order-service` 可以改变订单状态** [architect_0a1b2c3d4e5f]。"
        "因此顾客取消订单，是向这个服务提出请求，而不是直接改表。\n\n"
        "1. 未支付订单多久内可以取消？\n"
        "2. 优惠券什么时候退回？\n3. 顾客会看到什么？",
        "backend": "关于时限：“未支付订单在 15 分钟后自动取消并释放库存。”[backend_1a2b3c4d5e6f]"
        "关于优惠券：“A coupon that was redeemed in an unpaid order returns to the wallet within 60"
        " seconds of the cancellation event.”[backend_2b3c4d5e6f70]\n\n这两点现在就成立，"
        "顾客主动取消可以走同一个事件。",
        "product": "第一个问题我反对。面向顾客的规则写的是：“未支付订单在 30 分钟后自动取消。”"
        "[product_manager_3c4d5e6f7081] 这比后端释放库存的时间长一倍。",
        "frontend": "关于按钮：“A destructive button asks once, in place, and names what will"
        " happen.”[frontend_4d5e6f708192] 订单页只需要原地确认一次，不用弹窗。",
        "closing": "**已定：**顾客通过 `order-service` 取消订单 [architect_0a1b2c3d4e5f]；"
        "优惠券 60 秒内退回 [backend_2b3c4d5e6f70]。\n\n**未决：**15 分钟还是 30 分钟"
        " [backend_1a2b3c4d5e6f] [product_manager_3c4d5e6f7081]。\n\n"
        "**下一步：**产品经理和后端在迭代开始前定下时限。",
        "why": "这样不看讨论也能读到决定。",
        "query": "取消未支付订单",
        "said": "礼品卡也算支付方式，这时页面怎么提示？",
        "question": "使用礼品卡时也显示这个按钮吗？",
        "choices": "两种都显示|只在使用优惠券时显示",
        "question_why": "手册里没有提到礼品卡。",
        "changed": "用户希望礼品卡同样处理",
        "open_reason": "两份资料的说法仍不一致",
    },
}
POINTS = {
    "en": (
        "How long can an unpaid order be cancelled?",
        "When do coupons come back?",
        "What does the customer see?",
    ),
    "zh": ("未支付订单多久内可以取消？", "优惠券什么时候退回？", "顾客会看到什么？"),
}
SUMMARY = (
    "# Cancelling unpaid orders\n\n- Customers cancel through order-service.\n"
    "- Coupons return within 60 seconds.\n- Open: 15 or 30 minutes.\n"
)
DIFF = "--- summary-cancelling.md\n+++ summary-cancelling.md\n@@ -0,0 +1,5 @@\n" + "".join(
    f"+{line}\n" for line in SUMMARY.splitlines()
)
_LANGUAGE_BY_RUN: dict[str, str] = {}


def before_decision(run_id: str, brief: str, language: str) -> Iterator[Timed]:
    """From the brief to the Write that waits for a person."""
    _LANGUAGE_BY_RUN[run_id] = language
    texts = BY_LANGUAGE[language]
    points = [Point(id=f"p{i}", question=q) for i, q in enumerate(POINTS[language], start=1)]
    yield (
        0.0,
        RunStarted(
            brief=brief,
            mode="auto",
            language=language,
            model_name="offline",
            offline=True,
            max_iterations=15,
        ),
    )
    yield (
        0.2,
        BriefRewritten(
            rewritten_query=brief, expansion_terms=("order", "cancellation"), fell_back=False
        ),
    )
    yield (
        0.2,
        IntentRecognised(intent="development_requirement", score=0.91, margin=0.84, rung="ngrams"),
    )
    yield 0.1, RouteChosen(route="team", by="intent")
    yield from _turn(
        run_id,
        0,
        "architect",
        texts["opening"],
        texts["query"],
        "backend",
        points=tuple(points),
        asks=True,
    )
    yield from _turn(
        run_id,
        1,
        "backend",
        texts["backend"],
        texts["query"],
        "product_manager",
        stances=(Stance(point_id="p2", stance="agree", why="60 s"),),
        first_opinion=True,
    )
    yield from _turn(
        run_id,
        2,
        "product_manager",
        texts["product"],
        texts["query"],
        "frontend",
        stances=(
            Stance(
                point_id="p1",
                stance="object",
                why="15 ≠ 30",
                resolves_if="one number holds for both",
            ),
        ),
    )
    yield from _steering(run_id, texts)
    yield from _turn(
        run_id,
        3,
        "frontend",
        texts["frontend"],
        texts["query"],
        "architect",
        stances=(Stance(point_id="p3", stance="agree", why="", changed_because=texts["changed"]),),
        guard="last_turn",
        question=sample_question(f"{run_id}.3.frontend", language),
    )
    utterance_id = f"{run_id}.4.architect"
    yield 0.2, FloorTaken(utterance_id=utterance_id, agent_name="architect", iteration=4)
    yield (
        0.4,
        ToolRequested(
            utterance_id=utterance_id,
            agent_name="architect",
            call_id=f"{utterance_id}.0.0",
            tool="Write",
            risk="high",
            arguments={
                "path": "summary-cancelling.md",
                "content": SUMMARY,
                "why": texts["why"],
            },
            verdict="asked",
            reason=texts["why"],
            preview=DIFF,
        ),
    )
    yield 0.1, RunWaiting(call_ids=(f"{utterance_id}.0.0",))


def after_decision(run_id: str, decision: str) -> Iterator[Timed]:
    """From the decision to the end."""
    language = _LANGUAGE_BY_RUN.get(run_id, "en")
    texts = BY_LANGUAGE[language]
    utterance_id = f"{run_id}.4.architect"
    status = "ok" if decision == "approved" else "rejected"
    yield (
        0.3,
        ToolFinished(
            utterance_id=utterance_id,
            call_id=f"{utterance_id}.0.0",
            tool="Write",
            status=status,
            summary="summary-cancelling.md (142 bytes)",
        ),
    )
    points = tuple(
        Point(
            id=f"p{i}",
            question=q,
            state="recorded_open" if i == 1 else "settled",
            reason=texts["open_reason"] if i == 1 else "",
        )
        for i, q in enumerate(POINTS[language], start=1)
    )
    yield from _words(utterance_id, texts["closing"])
    yield (
        0.1,
        UtteranceEnded(
            utterance_id=utterance_id,
            agent_name="architect",
            iteration=4,
            content=texts["closing"],
            next_agent="",
            done=True,
            used_rag=0,
            points=points,
        ),
    )
    yield 0.2, RunEnded(status="done", reason="closed_by_architect")


def sample_question(utterance_id: str, language: str) -> QuestionAsked:
    """What a role asks the person in its turn."""
    texts = BY_LANGUAGE[language]
    return QuestionAsked(
        utterance_id=utterance_id,
        agent_name=utterance_id.rsplit(".", 1)[-1],
        call_id=f"{utterance_id}.0.1",
        question=texts["question"],
        choices=tuple(texts["choices"].split("|")),
        why=texts["question_why"],
    )


def _steering(run_id: str, texts: Mapping[str, str]) -> Iterator[Timed]:
    """What people, guards and models do between two turns."""
    utterance_id = f"{run_id}.2.product_manager"
    yield (
        0.1,
        PersonSpoke(
            message_id=f"{run_id}.said.1",
            text=texts["said"],
            said_by="admin",
            to_agent="frontend",
        ),
    )
    yield (
        0.1,
        GuardActed(guard="same_speaker", utterance_id=utterance_id, agent_name="product_manager"),
    )
    yield 0.1, PauseAsked(asked_by="admin")
    yield 0.1, PauseAsked(asked_by="admin", withdrawn=True)
    yield 0.1, PauseAsked(asked_by="admin")
    yield 0.1, RunPaused()
    yield (
        0.1,
        BudgetChanged(
            max_iterations=15,
            max_tokens=200_000,
            max_minutes=20,
            max_cost=None,
            changed_by="admin",
        ),
    )
    yield (
        0.1,
        TalkCompacted(
            summary_id="00000000-0000-4000-8000-000000000001",
            through_message_id=f"{run_id}.0.architect",
            messages=2,
            tokens_before=1_840,
            tokens_after=420,
            by="person",
        ),
    )
    yield 0.1, RunResumed(reason="pause")
    yield 0.1, ModelHeld(fault="rate_limited", wait_seconds=12)
    yield 0.1, ModelFellBack(fault="timeout", from_model="model-a", to_model="model-b")


def _turn(
    run_id: str,
    iteration: int,
    agent: str,
    content: str,
    query: str,
    next_agent: str,
    *,
    stances: tuple[Stance, ...] = (),
    points: tuple[Point, ...] = (),
    guard: str = "",
    asks: bool = False,
    first_opinion: bool = False,
    question: QuestionAsked | None = None,
) -> Iterator[Timed]:
    utterance_id = f"{run_id}.{iteration}.{agent}"
    call_id = f"{utterance_id}.0.0"
    evidence = tuple(p for p in PASSAGES.values() if p.agent_name == agent)
    yield (
        0.2,
        FloorTaken(
            utterance_id=utterance_id,
            agent_name=agent,
            iteration=iteration,
            first_opinion=first_opinion,
        ),
    )
    yield (
        0.4,
        ToolRequested(
            utterance_id=utterance_id,
            agent_name=agent,
            call_id=call_id,
            tool="rag_search",
            risk="low",
            arguments={"query": query, "scope": "own"},
            verdict="allowed",
        ),
    )
    yield (
        0.5,
        ToolFinished(
            utterance_id=utterance_id,
            call_id=call_id,
            tool="rag_search",
            status="ok",
            summary=query,
            evidence=evidence,
            mode="words+minilm, fused",
            seconds=0.041,
        ),
    )
    if question is not None:
        yield 0.1, question
        yield 0.1, RunWaiting(call_ids=(), question_ids=(question.call_id,))
        answer = question.choices[0]
        answered = QuestionAnswered(call_id=question.call_id, answer=answer, answered_by="admin")
        yield 0.1, answered
        yield 0.1, RunResumed(reason="decision")
    yield from _words(utterance_id, content)
    yield (
        0.1,
        UtteranceEnded(
            utterance_id=utterance_id,
            agent_name=agent,
            iteration=iteration,
            content=content,
            next_agent=next_agent,
            done=False,
            used_rag=1,
            stances=stances,
            points=points,
            evidence=evidence,
            asks_first_opinions=asks,
        ),
    )
    yield (
        0.1,
        HandedOver(
            from_agent=agent,
            to_agent=next_agent,
            by="guard" if guard else "role",
            guard=guard,
            reason="" if guard else "point 1",
            utterance_id=utterance_id,
        ),
    )


def _words(utterance_id: str, content: str) -> Iterator[Timed]:
    for start in range(0, len(content), 24):
        yield 0.08, WordsArrived(utterance_id=utterance_id, text=content[start : start + 24])
