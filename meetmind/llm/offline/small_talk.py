"""Messages to the assistant that ask for no document."""

import re
from typing import Literal

SmallTalk = Literal["greeting", "thanks", "what"]

_GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|how are you"
    r"|你好|您好|嗨|哈喽|早上好|下午好|晚上好|早安|在吗)(?: there| everyone| all|大家|呀|啊|吗)*"
)
_THANKS = re.compile(
    r"(?:thanks|thank you|thx|cheers|many thanks|谢谢|多谢|感谢|谢啦)"
    r"(?: a lot| so much|你|您|了|啊)*"
)
_WHAT = re.compile(
    r"(?:who are you|what are you|what can you do|what is this|how does this work|help"
    r"|你是谁|你能做什么|你会什么|这是什么|怎么用|帮助|你可以做什么)(?:啊|呢|呀)?"
)


def small_talk_of(message: str) -> SmallTalk | None:
    """What kind of small talk the whole message is; None when it asks for something."""
    text = re.sub(r"[\s，,。.!！?？~～]+", " ", message.lower()).strip()
    if _GREETING.fullmatch(text):
        return "greeting"
    if _THANKS.fullmatch(text):
        return "thanks"
    if _WHAT.fullmatch(text):
        return "what"
    return None
