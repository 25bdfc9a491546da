"""Words too common to say what a question is about: left out of a query, never out of the index."""

from typing import Final

_ENGLISH = """
a an the this that these those there
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs
am is are was were be been being do does did doing done have has had having
can could shall should will would
and or but if then so as at by for with to from in on of
what which who whom whose when where why how
no not only also some same own more most other ever
let please tell im ive dont didnt doesnt isnt wasnt whats
don't didn't doesn't isn't aren't wasn't weren't won't can't couldn't wouldn't shouldn't
haven't hasn't hadn't i'm i've i'll i'd you're you've you'll you'd we're we've we'll we'd
they're they've they'll they'd he'd he'll she'd she'll it'll that'll who'd
"""

_CHINESE = """
的 了 是 在 我 你 您 他 她 它 们 有 和 与 或 及 就 不 都 一 也 很 到 说 要 去 会 着 过 没 这 那 吗 呢 吧 啊
呀 嘛 么 什 哪 谁 怎 几 多 少 被 把 对 从 为 以 于 而 但 之 其 个 些 将 还 又 并 让 请 地 得 所 该 给
我们 你们 您们 他们 她们 它们 咱们 自己 什么 甚么 哪些 哪个 哪里 哪儿 哪位 怎么 怎样 如何 为何 何时 何地
多少 几个 多久 多大 是否 请问 时候 这个 那个 这些 那些 这里 那里 这样 那样 这么 那么
以及 或者 并且 而且 但是 因为 所以 如果 虽然 可以 已经 还是 就是 不是 没有 关于 对于 其中 之后 之前 当时
分别 具体
們 說 會 過 沒 這 嗎 麼 誰 幾 對 從 為 於 個 將 還 並 讓 請 該 給 我們 你們 什麼 怎麼 時候 請問
"""

ENGLISH: Final = frozenset(_ENGLISH.split())
"""English function words and contractions.

`may` is a month; `before`, `after`, `up` and their like change what is asked: they stay.
"""

CHINESE: Final = frozenset(_CHINESE.split())
"""Chinese function words of one or two characters, question words too: longer ones are cut into such."""
