"""What limits a sentence: conditions that exclude each other, and events that happened once."""

import re

_EXCLUSIVE: tuple[tuple[re.Pattern[str], ...], ...] = tuple(
    tuple(re.compile(expression) for expression in group)
    for group in (
        (r"\beurop|\beu\b|\bdhl\b|nordbank|欧洲|欧盟", r"\bchin|domestic|sf express|国内|中国|大陆|顺丰"),
        (r"wechat|微信", r"alipay|支付宝", r"\bcards?\b(?<!gift card)(?<!gift cards)|银行卡|信用卡|nordbank"),
        (r"campaign|double 11|\b618\b|black friday|大促|双11|双十一|促销日|活动日", r"ordinary day|normal day|weekday|平日|日常|工作日|平时"),
        (r"\bunopened|sealed|未拆封|未开封", r"(?<!un)\bopened|used goods|(?<!未)已?拆封|(?<!未)已?开封|已使用"),
        (r"\bunpaid|not paid|未支付|待支付|未付款|待付款", r"(?<!un)\bpaid orders?|(?<!未)已支付|(?<!未)已付款"),
        (r"\bmobile|\bphones?\b|手机|移动端", r"\bdesktop|桌面端|电脑端"),
        (r"\bguests?\b|游客|访客", r"logged[- ]in|registered|登录用户|注册用户|会员"),
        (r"\bp50\b|median|中位数", r"\bp9\d\b|9\dth|percentile"),
        (r"\bp95\b|95th|95 分位", r"\bp99\b|99th|99 分位"),
        (r"\bproduction|生产环境", r"\bstaging|pre-?production|test environment|预发|测试环境|沙箱"),
        (r"\bnight|夜间|凌晨", r"\bworking hours|daytime|office hours|工作时间|白天"),
        (r"\bteaware|teapot|茶具|茶壶", r"\bloose tea|tea leaves|茶叶"),
        (r"\bpartial|部分退", r"\bfull refund|全额"),
        (r"\bwarning|黄色|二级告警", r"\bcritical|红色|一级告警"),
        (r"\bplanned|goal|target of|目标", r"\bactual|measured|reached|实际|实测"),
    )
)  # fmt: skip
_BEFORE = re.compile(r"\bbefore\b|\buntil\b|之前|以前")
_AFTER = re.compile(r"\bafter\b|\bonce\b|之后|以后")
_DATE = re.compile(
    r"\b(?:19|20)\d{2}-\d{2}|\d{4}\s*年|\d{1,2}\s*月\s*\d{1,2}\s*日|\b(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)\s+\d{4}|\b(?:in|of|during) (?:19|20)\d{2}\b|双11当天|去年|上半年|下半年|季度"
)
_SINCE = re.compile(r"\b(?:since|from|as of|starting|until)\b|[自从]\s*\d|[年月日天]\s*起")
_PAST = re.compile(
    r"\b(?:was|were|had|took|cost|caused|dropped|rose|fell|fallen|has fallen|lost|found|showed|led|failed|stayed|reached|measured"
    r"|averaged|average|median|happened|led to|appeared|came|went|made|added|grew|cut|saved|estimated)\b"
    r"|曾|当时|占全|平均|中位数|实测|统计|下降|上升|降到|升到|涨到|共有|共产生|发生过|造成|导致|发现了|测算|估算|丢了|花了|用了|加了|耗时"
)


def exclude_each_other(first: str, second: str) -> bool:
    """Whether the sentences name conditions that cannot both apply, such as Europe and China."""
    one, other = first.lower(), second.lower()
    for group in _EXCLUSIVE:
        named_by_one = {place for place, condition in enumerate(group) if condition.search(one)}
        named_by_other = {place for place, condition in enumerate(group) if condition.search(other)}
        if named_by_one and named_by_other and not named_by_one & named_by_other:
            return True
    return False


def speak_of_before_and_after(first_clause: str, second_clause: str) -> bool:
    """Whether one clause holds before a moment and the other one after it."""
    one, other = first_clause.lower(), second_clause.lower()
    for earlier, later in ((one, other), (other, one)):
        if _BEFORE.search(earlier) and _AFTER.search(later) and not _BEFORE.search(later):
            return True
    return False


def has_date(sentence: str) -> bool:
    """Whether a sentence names a day, a month or a year."""
    return _DATE.search(sentence.lower()) is not None


def tells_what_happened(sentence: str) -> bool:
    """Whether a sentence reports an event or a measurement; such a one contradicts no rule."""
    lowered = sentence.lower()
    if _PAST.search(lowered):
        return True
    return _DATE.search(lowered) is not None and _SINCE.search(lowered) is None
