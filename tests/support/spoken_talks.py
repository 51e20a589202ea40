"""Talks in the loose words of a meeting with planted facts, for measuring what summaries keep."""

from dataclasses import dataclass
from itertools import count
from random import Random

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.llm.token_counts import estimate_tokens
from tests.support.long_talk import Fact


@dataclass(frozen=True, kw_only=True)
class SpokenTalk:
    """A brief, twelve facts said once each, and what the talk around them is about."""

    language: str
    brief: str
    topics: tuple[str, ...]
    facts: tuple[Fact, ...]


FILLER = {
    "en": (
        "I would keep {a} as plain as we can until {b} has been seen to work.",
        "When I look at {a}, I mostly worry about what happens to {b} on a busy day.",
        "That is a fair point about {a}, but it does not change how I see {b}.",
        "Let us come back to {a} once somebody has looked at {b} properly.",
        "My feeling is that {a} matters more to people than {b} does.",
        "If {a} is slow, nobody will care how nice {b} looks.",
        "I have seen {a} go wrong twice in other projects, and each time it was because of {b}.",
        "Could somebody explain how {a} and {b} fit together?",
        "There are about {n} ways to do {a}, and most of them end in the same place.",
        "Suppose we allowed {n} of them at once; then {a} would have to wait for {b}.",
        "I am not sure yet whether {a} belongs to this step or to the next one.",
        "What would a person see if {a} failed while {b} was still running?",
        "The second screen shows {a}, and that is where most questions about {b} come from.",
        "We should write down what {a} means before we argue about {b} any further.",
        "For me {a} is a matter of taste, whereas {b} is a matter of trust.",
        "It may take two or three weeks until {a} feels natural to everybody.",
        "Nobody has complained about {a} so far, which may only mean that nobody uses it.",
        "I would like to hear the tester on {a} before I say anything about {b}.",
        "As I read the brief, {a} comes first and {b} is only mentioned in passing.",
        "The last {n} months showed us that {a} is rarely the real trouble.",
        "Perhaps {a} can be shown next to {b}, so that nobody has to look for it.",
        "We tend to talk about {a} as if it were finished, and it is not.",
        "From where I stand, {a} needs an owner and {b} needs a deadline.",
        "One could argue that {a} is only a special case of {b}.",
        "I agree with most of it, apart from what was said about {a}.",
        "A good half of the effort goes into {a}, and that seems out of proportion.",
        "Somebody new would not understand why {a} depends on {b}.",
        "It is tempting to solve {a} with a setting, but settings are read by nobody.",
        "Between {a} and {b} I would spend the time on the former.",
        "I would draw {a} on one page first and show it to somebody from outside.",
        "Please keep {a} in mind when you touch {b}.",
        "That leaves {a}, which nobody has really thought through.",
        "We can test {a} by hand for now and automate it when {b} has settled down.",
        "I still think that {a} will surprise us, and not in a good way.",
        "Whatever we do about {a}, it has to be something that we can take back.",
        "On a small phone {a} takes up the whole width and {b} slips out of sight.",
    ),
    "zh": (
        "我倾向于先把{a}做得简单一些，等{b}跑顺了再说。",
        "说到{a}，我最担心的是忙的时候{b}会怎么样。",
        "关于{a}的说法有道理，但我对{b}的看法没有变。",
        "等有人把{b}仔细看过，我们再回头谈{a}。",
        "我的感觉是，大家更在意{a}，而不是{b}。",
        "如果{a}太慢，{b}做得再漂亮也没人在乎。",
        "我在别的项目里见过{a}出问题，每次都跟{b}有关。",
        "谁能讲讲{a}和{b}是怎么配合的？",
        "{a}大概有{n}种做法，多数最后都差不多。",
        "假如同时放开{n}个，那么{a}就得等{b}。",
        "我还拿不准{a}是放在这一步还是下一步。",
        "要是{b}还没完，{a}先失败了，用户会看到什么？",
        "第二个页面上就是{a}，关于{b}的疑问多半从那里来。",
        "先把{a}的含义写清楚，再去争{b}。",
        "对我来说{a}是喜好问题，{b}才是信任问题。",
        "大家适应{a}恐怕要两三个星期。",
        "目前没人抱怨{a}，也可能只是没人用。",
        "谈{b}之前，我想先听听测试对{a}的意见。",
        "照我对需求的理解，{a}排在前面，{b}只是顺带一提。",
        "过去{n}个月的经验说明，{a}很少是真正的麻烦。",
        "也许可以把{a}摆在{b}旁边，省得大家去找。",
        "我们谈起{a}来好像它已经做完了，其实还没有。",
        "在我看来，{a}要有人负责，{b}要有个期限。",
        "也可以说{a}不过是{b}的一种特殊情况。",
        "大部分我都同意，只是{a}那段还有疑问。",
        "差不多一半的精力花在{a}上，似乎不成比例。",
        "新来的人不会明白{a}为什么要依赖{b}。",
        "用一个开关来解决{a}很诱人，可是开关没人会去看。",
        "{a}和{b}之间，我会先把时间花在前者上。",
        "我想先把{a}画在一张纸上，给外面的人看看。",
        "动{b}的时候请记着{a}。",
        "剩下的就是{a}，这件事谁都没有想透。",
        "{a}先手工测，等{b}稳定了再自动化。",
        "我还是觉得{a}会给我们带来意外，而且不是好的那种。",
        "不管{a}怎么做，都得能退回去。",
        "在小屏手机上{a}占满一行，{b}就看不见了。",
    ),
}
"""What people say around the facts: opinions, doubts, guesses with small numbers."""


def _fact(sentence: str, *keys: str) -> Fact:
    return Fact(sentence=sentence, keys=keys or (sentence,))


SPOKEN_TALKS = (
    SpokenTalk(
        language="en",
        brief="Plan the online booking of appointments for a group of clinics",
        topics=(
            "the calendar view",
            "the reminder text",
            "the list of doctors",
            "the waiting room",
            "the sign-in",
            "the phone line",
            "the printed slip",
            "the search box",
            "the import",
            "the colour of free slots",
            "the front desk",
            "the patient's record",
        ),
        facts=(
            _fact(
                "A patient may move an appointment up to 36 hours before it, later only by phone.",
                "36 hours",
            ),
            _fact(
                "We settled on advisory locks per doctor rather than a queue, and that is final.",
                "advisory locks",
            ),
            _fact(
                "Marta Lindqvist from the practice signs off the wording of every reminder.",
                "Marta Lindqvist",
            ),
            _fact("The pilot starts on 14 March in the Uppsala clinic.", "14 March", "Uppsala"),
            _fact(
                "Opening hours live in config/opening_hours.yaml and nowhere else.",
                "config/opening_hours.yaml",
            ),
            _fact(
                'The nightly import stopped with "ValueError: invalid literal for int() with '
                "base 10: 'n/a'\"; then we mapped n/a to empty, ran it again, and it went "
                "through.",
                "invalid literal for int() with base 10: 'n/a'",
                "mapped n/a to",
            ),
            _fact("Search has to answer within 800 ms at the 95th percentile.", "800 ms"),
            _fact("A text message costs 0.042 euros, so only one is sent.", "0.042"),
            _fact("In the trial no-shows fell from 11.4 % to 7.9 %.", "11.4 %", "7.9 %"),
            _fact("The waiting list is dropped from this release.", "waiting list is dropped"),
            _fact(
                "Cancelled bookings are kept for seven years, as the auditor asked.", "seven years"
            ),
            _fact(
                "Before migration 0031 somebody has to run scripts/move_slots.py, or slots are "
                "lost.",
                "0031",
                "scripts/move_slots.py",
            ),
        ),
    ),
    SpokenTalk(
        language="zh",
        brief="规划校园食堂的线上订餐",
        topics=(
            "菜单页",
            "取餐窗口",
            "短信文案",
            "登录方式",
            "后厨大屏",
            "排队提示",
            "打印小票",
            "搜索框",
            "数据导入",
            "菜品图片",
            "前台",
            "学生账户",
        ),
        facts=(
            _fact("每笔订单最多退 2 次，超过就要去前台办。", "最多退 2 次"),
            _fact("最后定下来用行级锁，不上消息队列。", "行级锁"),
            _fact("张晓岚负责验收所有短信的措辞。", "张晓岚"),
            _fact("试点从 3 月 14 日开始，先在南区食堂跑。", "3 月 14 日", "南区食堂"),
            _fact("营业时间只写在 config/canteen_hours.yaml 里。", "config/canteen_hours.yaml"),
            _fact(
                "夜里的导入停了，报的是“UnicodeDecodeError: 'gbk' codec can't decode byte "
                "0xa5”，后来先转成 UTF-8 再导，就通过了。",
                "'gbk' codec can't decode byte 0xa5",
                "转成 UTF-8",
            ),
            _fact("高峰期下单接口的 95 分位要在 650 毫秒以内。", "650 毫秒"),
            _fact("一条短信四分二厘，所以只发一条。", "四分二厘"),
            _fact("试运行里漏取率从 6.8% 降到 3.1%。", "6.8%", "3.1%"),
            _fact("积分商城这一版不做了。", "积分商城这一版不做"),
            _fact("退款记录要留七年，这是审计提的。", "七年"),
            _fact(
                "迁移 0027 之前必须先跑 scripts/fill_windows.py，不然窗口号会丢。",
                "0027",
                "scripts/fill_windows.py",
            ),
        ),
    ),
    SpokenTalk(
        language="en",
        brief="Replace the hand scanners in our warehouse",
        topics=(
            "the trigger",
            "the pallet label",
            "the charging cradle",
            "the loading dock",
            "the beep",
            "the pick list",
            "the night shift",
            "the return shelf",
            "the sync",
            "the strap",
            "the foreman's view",
            "the stock count",
        ),
        facts=(
            _fact(
                "Each pallet label carries 18 digits, and the last one is a check digit.",
                "18 digits",
            ),
            _fact(
                "Offline scans stay on the device in SQLite instead of IndexedDB, we all agreed "
                "on that.",
                "SQLite instead of IndexedDB",
            ),
            _fact(
                "Devendra Rao will own the rollout, with Inge Maas standing in for him.",
                "Devendra Rao",
                "Inge Maas",
            ),
            _fact("The old scanners are switched off on 2 November.", "2 November"),
            _fact(
                "The layout of the label is in templates/pallet_label.zpl.",
                "templates/pallet_label.zpl",
            ),
            _fact(
                "On the dock the sync failed with `413 Request Entity Too Large`. Sending scans "
                "in parcels of two hundred fixed it.",
                "413 Request Entity Too Large",
                "parcels of two hundred",
            ),
            _fact("A scan has to beep within 120 milliseconds.", "120 milliseconds"),
            _fact("One charge must last 9.5 hours.", "9.5 hours"),
            _fact("Wrong picks went down from 2.3 in a thousand to 0.9.", "2.3", "0.9"),
            _fact("We will not support Bluetooth printers.", "Bluetooth printers"),
            _fact("Audit entries go away after ninety days.", "ninety days"),
            _fact("Firmware 4.2.1 is the oldest that works.", "4.2.1"),
        ),
    ),
    SpokenTalk(
        language="zh",
        brief="做一个图书馆座位预约系统",
        topics=(
            "座位图",
            "闸机",
            "签到方式",
            "暂离按钮",
            "公告栏",
            "夜间开放",
            "手机端",
            "黑名单",
            "管理员后台",
            "座位灯",
            "对账",
            "意见箱",
        ),
        facts=(
            _fact("离座超过 25 分钟，座位自动释放。", "25 分钟"),
            _fact("签到用蓝牙信标而不是二维码，这一点大家都同意了。", "蓝牙信标而不是二维码"),
            _fact("上线由刘思远牵头，王佩替补。", "刘思远", "王佩"),
            _fact("旧闸机 11 月 2 日停用。", "11 月 2 日"),
            _fact("座位图的底稿放在 assets/seat_map.svg。", "assets/seat_map.svg"),
            _fact(
                "周末对账时报错 `413 Request Entity Too Large`。改成每批二百条以后就好了。",
                "413 Request Entity Too Large",
                "每批二百条",
            ),
            _fact("扫码到开门不能超过 0.3 秒。", "0.3 秒"),
            _fact("同一个学号一天最多约 3 场。", "3 场"),
            _fact("爽约率由 9.2% 下降到 5.5%。", "9.2%", "5.5%"),
            _fact("这一期不接微信支付。", "微信支付"),
            _fact("日志九十天以后清掉。", "九十天"),
            _fact("闸机固件最低要 4.2.1 版。", "4.2.1"),
        ),
    ),
    SpokenTalk(
        language="en",
        brief="Move the newsletter of a museum to a new service",
        topics=(
            "the subject line",
            "the list of donors",
            "the picture at the top",
            "the sign-up form",
            "the archive page",
            "the preview",
            "the translation",
            "the send button",
            "the footer",
            "the spam folder",
            "the editor",
            "the report",
        ),
        facts=(
            _fact("Nobody gets more than 3 mails a week.", "3 mails"),
            _fact("It is Brevo, then, and Mailchimp is out.", "Brevo"),
            _fact("Ask Yusuf Demir before anybody touches the donors.", "Yusuf Demir"),
            _fact("By the evening of 27 May the old list has to be gone.", "27 May"),
            _fact(
                "The bottom of every mail comes from partials/footer.mjml.", "partials/footer.mjml"
            ),
            _fact(
                'The first send bounced: "550 5.7.1 Unauthenticated email is not accepted". '
                "With SPF and DKIM in place the second one arrived.",
                "550 5.7.1 Unauthenticated email is not accepted",
                "SPF and DKIM",
            ),
            _fact("A picture may weigh 180 kB.", "180 kB"),
            _fact("The plan costs 49 dollars a month for 20,000 contacts.", "49 dollars", "20,000"),
            _fact("Openings rose from 21 % to 34 %.", "21 %", "34 %"),
            _fact("No tracking pixels, whatever marketing says.", "No tracking pixels"),
            _fact("Addresses that unsubscribed are wiped after a fortnight.", "fortnight"),
            _fact("The builder wants Node 20.", "Node 20"),
        ),
    ),
    SpokenTalk(
        language="zh",
        brief="做一个小区快递柜的管理后台",
        topics=(
            "柜门状态",
            "取件码",
            "业主名单",
            "快递员端",
            "收费页",
            "首页",
            "维修单",
            "通知栏",
            "格口大小",
            "统计报表",
            "物业后台",
            "监控画面",
        ),
        facts=(
            _fact("一个格口免费放 2 天，第 3 天起收费。", "免费放 2 天", "第 3 天"),
            _fact("我们定了用 MQTT，轮询那套扔掉。", "MQTT"),
            _fact("动业主名单之前先问陈国栋。", "陈国栋"),
            _fact("5 月 27 日晚上之前老数据要清空。", "5 月 27 日"),
            _fact("页脚文案在 partials/footer.md 里。", "partials/footer.md"),
            _fact(
                "第一次下发失败，提示“连接被拒绝：errno 111”，换成内网地址之后第二次就通了。",
                "连接被拒绝：errno 111",
                "内网地址",
            ),
            _fact("图片每张不超过 180 KB。", "180 KB"),
            _fact("短信包每月 49 元，够发两千条。", "49 元", "两千条"),
            _fact("取件超时率由 21% 降到 14%。", "21%", "14%"),
            _fact("不管市场怎么说，人脸识别不上。", "人脸识别不上"),
            _fact("退订的号码半个月后抹掉。", "半个月"),
            _fact("编译要 Node 20。", "Node 20"),
        ),
    ),
    SpokenTalk(
        language="en",
        brief="Set up the ticket sale for a small theatre",
        topics=(
            "the seat map",
            "the box office",
            "the voucher",
            "the interval drinks",
            "the mail",
            "the programme leaflet",
            "the balcony",
            "the discount for pupils",
            "the basket",
            "the usher's tablet",
            "the refund form",
            "the poster",
        ),
        facts=(
            _fact("A basket is held for 12 minutes, then the seats go back.", "12 minutes"),
            _fact("Stripe it is; PayPal can wait until next season.", "Stripe it is"),
            _fact("Everything about the voucher goes through Hannah Brandt.", "Hannah Brandt"),
            _fact("The sale opens on Saturday, 9 August, at ten in the morning.", "9 August"),
            _fact("The seats are described in plans/main_hall.geojson.", "plans/main_hall.geojson"),
            _fact(
                'The payment test came back with "card_declined: insufficient_funds". Another '
                "test card went through.",
                "card_declined: insufficient_funds",
                "Another test card",
            ),
            _fact("The hall has 312 seats, 14 of them for wheelchairs.", "312", "14 of them"),
            _fact("The fee is 1.4 % plus 25 cents a ticket.", "1.4 %", "25 cents"),
            _fact("Queues at the door went from 18 minutes to 6.", "18 minutes"),
            _fact("Nothing is printed at home any more.", "printed at home"),
            _fact("A ticket can be given back up to three days ahead.", "three days"),
            _fact("The scanner needs Android 11.", "Android 11"),
        ),
    ),
    SpokenTalk(
        language="zh",
        brief="给小剧场做一套售票系统",
        topics=(
            "座位图",
            "检票口",
            "兑换券",
            "节目单",
            "学生票",
            "购物车",
            "退票页",
            "海报",
            "客服",
            "结算",
            "楼座",
            "会员卡",
        ),
        facts=(
            _fact("购物车里的座位只占 12 分钟，过后放回去。", "12 分钟"),
            _fact("支付就走银联，别的下一季再谈。", "就走银联"),
            _fact("兑换券的事都找韩梅。", "韩梅"),
            _fact("8 月 9 日上午十点开票。", "8 月 9 日"),
            _fact("座位数据在 plans/main_hall.geojson。", "plans/main_hall.geojson"),
            _fact(
                "支付联调返回“余额不足：code 5102”，换一张测试卡就过了。",
                "余额不足：code 5102",
                "换一张测试卡",
            ),
            _fact("全场 312 个座，其中 14 个是轮椅位。", "312", "14 个"),
            _fact("手续费是 1.4% 外加每张两角五。", "1.4%", "两角五"),
            _fact("门口排队从 18 分钟缩到 6 分钟。", "18 分钟", "6 分钟"),
            _fact("家里自己打印的票以后一律不认。", "一律不认"),
            _fact("开演前三天都能退。", "三天"),
            _fact("检票机要 Android 11。", "Android 11"),
        ),
    ),
)


def spoken_utterances(talk: SpokenTalk, tokens: int, utterance_tokens: int = 450) -> list[str]:
    """Utterances of so many tokens in all, a fact in the middle of twelve of them.

    A fifth of what is said carries a citation, as roles do where they looked something up.
    """
    chance = Random(talk.brief)
    utterances = []
    for number in count():
        if tokens <= 0:
            break
        words: list[str] = []
        length = 0
        while length < utterance_tokens:
            first, second = chance.sample(talk.topics, 2)
            sentence = chance.choice(FILLER[talk.language])
            said = sentence.format(a=first, b=second, n=chance.randint(3, 12))
            said = said[0].upper() + said[1:]
            if chance.random() < 0.2:
                said += f" [{AGENT_NAMES[number % 5]}_{chance.getrandbits(48):012x}]"
            words.append(said)
            length += estimate_tokens(said)
        utterances.append(words)
        tokens -= length
    for number, fact in enumerate(talk.facts):
        place = number * (len(utterances) - 4) // len(talk.facts)
        words = utterances[place]
        words.insert(len(words) // 2, fact.sentence)
    joint = "" if talk.language == "zh" else " "
    return [joint.join(words) for words in utterances]
