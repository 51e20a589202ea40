"""Passages of a small made-up product, a bike rental, for discussions without seed documents."""

from meetmind.llm.tool_envelopes import PromptPassage
from tests.support.seed_passages import make_passage

BRIEF = (
    "Riders want to cancel a booking on the phone and get the deposit refunded at once. "
    "How long may a refund take, and what happens when the payment callback comes twice?"
)
CHINESE_BRIEF = "骑手想在手机上取消预订并马上退还押金。退款最多需要多久？支付回调重复到达时怎么办？"
UNKNOWN_BRIEF = "How do we grow tomatoes on the balcony of the office in winter?"

DEPOSIT_TIME = "The deposit of a cancelled booking is refunded within 3 days."
OTHER_DEPOSIT_TIME = (
    "Acceptance demands that the deposit of a cancelled booking is refunded within 10 days."
)
CHINESE_DEPOSIT_TIME = "取消预订后，押金退款在 3 天内到账。"
CHINESE_OTHER_DEPOSIT_TIME = "验收时，取消预订后的押金退款按 10 天内到账检查。"


def bike_passages() -> list[PromptPassage]:
    """Two or three passages a role, in both languages; product manager and tester contradict."""
    return [
        make_passage(
            "architect",
            "Boundary of the booking service",
            "A booking may be cancelled only by the booking service, and other services follow "
            "its events. No payment callback may change a booking directly.",
        ),
        make_passage(
            "architect",
            "预订服务的边界",
            "预订只能由预订服务取消，其他服务跟随它的事件。支付回调不得直接修改预订。",
        ),
        make_passage(
            "backend",
            "Duplicate payment callbacks",
            "A payment callback that arrives twice is recognised by its transaction number and "
            "answered with success. In May 2026 the duplicate check stopped 312 double refunds.",
        ),
        make_passage(
            "backend",
            "重复的支付回调",
            "支付回调重复到达时按交易号去重，并且必须返回成功。"
            "2026年5月 去重拦下了 312 笔重复退款。",
        ),
        make_passage(
            "frontend",
            "Cancel button on the phone",
            "The cancel button of a booking stands at the end of the booking page on a phone and "
            "must ask once before it cancels. The refund of the deposit is announced on the page.",
        ),
        make_passage(
            "frontend",
            "手机上的取消按钮",
            "手机上的预订页底部有取消按钮，取消之前必须再问一次。押金退款的进度显示在预订页上。",
        ),
        make_passage(
            "tester",
            "Acceptance of refunds",
            f"{OTHER_DEPOSIT_TIME} Every refund is checked against the payment report.",
        ),
        make_passage(
            "tester",
            "退款的验收",
            f"{CHINESE_OTHER_DEPOSIT_TIME}每一笔退款都要和支付报表核对。",
        ),
        make_passage(
            "product_manager",
            "Promise on deposits",
            f"{DEPOSIT_TIME} The reason is that riders had waited for 9 days on average in 2025.",
        ),
        make_passage(
            "product_manager",
            "押金的承诺",
            f"{CHINESE_DEPOSIT_TIME}这样规定是因为 2025年 骑手平均等了 9 天。",
        ),
        make_passage(
            "product_manager",
            "Price of a day ticket",
            "A day ticket costs 12 euros from Monday to Thursday and 15 euros on other days.",
        ),
    ]
