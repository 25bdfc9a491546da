"""Which prompts a hook looks memories up for at all: most of what is typed to an agent is a command, not a question.

Words of work on a program or a text ("run", "fix", "the test", `提交`, `修改`) occur in memories too and say nothing of
what is asked for, so that they count neither for a prompt nor against it.
"""

from firmmem.memory.recall.clauses import cut_clauses
from firmmem.patterns import lazy
from firmmem.text.search_words import query_terms

LEAST_TERMS = 2  # words, besides those of work, of a prompt that asks nothing; a question needs one
STATED = 0.4  # of the way from the gate to certainty, which a prompt that asks nothing must reach

WORK = frozenset(
    """
    ok okay yes no go going on continue proceed keep next done good great nice looks look fine perfect cool thanks
    thank works work working please sure again now still right way same before after first last it's that's let's
    lets try run rerun test tests testing fix fixes fixing failing fail fails failed build builds compile commit
    push pull merge revert undo redo rename refactor move make change changes changing add adds adding remove delete
    clean cleanup update upgrade install check show explain write rewrite create generate implement use using split
    combine sort print log logs logging error errors warning message messages code file files line lines function
    functions method class module modules import imports variable variables loop branch diff docs doc docstring
    comment comments release version changelog readme translate summarise summarize draft reply list give tell help
    helpful better clearer short shorter simple simpler button page screen output input value values name names need
    want get put set start stop open close
    """.split()  # noqa: SIM905 - a list of these would take a page
)
_WORK_ZH = lazy(
    r"好的?|继续|可以了?|谢谢|麻烦|请|一下|运行|跑|测试|修复|修一?下|修改|改成|改|提交|合并|推送|删掉|删除|没用的?|清理|重构|重命名|"
    r"更新|升级|安装|检查|看看|看一?下|解释|写|生成|实现|拆成?|分支|代码|文件|函数|变量|模块|导入|日志|报错|错误|这段话?|这份|这个|这次|"
    r"翻译成?|总结|报告|给我|帮我|把|给|加上|添加|处理|为什么|怎么|怎样|是什么|什么|哪里|多少|吗|呢|的|了"
)


def asks_for_memory(prompt: str) -> bool:
    """Return whether a prompt has enough in it that memories could bear on."""
    terms = [term for term in query_terms(_WORK_ZH.sub(" ", prompt)) if term not in WORK]
    return len(terms) >= (1 if asks(prompt) else LEAST_TERMS)


def asks(prompt: str) -> bool:
    """Return whether a prompt has a question in it."""
    return any(clause.asks for clause in cut_clauses(prompt))


def gate_for(prompt: str, gate: float) -> float:
    """Return the chance of an answer that a prompt needs: one that asks nothing needs a higher one."""
    if not gate or asks(prompt):
        return gate
    return gate + STATED * (1.0 - gate)
