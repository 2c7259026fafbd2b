"""What people say of themselves and their work in Chinese.

Every pattern begins where a clause begins. A group of them is read, and compiled, only where a
clause has one of the words without which none of them can match.
"""

from __future__ import annotations

from recollect.language.extract.chinese import (
    ended,
    lives,
    people,
    plans,
    rules,
    setup,
    tastes,
    tools,
)
from recollect.language.extract.found import Group

__all__ = ["GROUPS", "rules"]

_DAYS = "周|星期|礼拜|天|晚|月|年|季度|号|日|下班|-|/"

GROUPS = (
    Group("不|戒|离职|离开|辞|卖|退|注销|卸|送人|停|从", ended.ended),
    Group("叫|名|我是|姓|喊我|称", people.names),
    Group("岁|年|生日|生于|生|月|0|1|2|3|4|5|6|7|8|9|十", people.ages),
    Group("住|搬|在|居|base|家|地址|来自|是|时|区|坐标|常驻|迁", people.places),
    Group("我|本人|做|搞|干|写|学|在|职|加入|跳|俺", lives.jobs),
    Group("我|本人|俺|口味|姓", lives.traits),
    Group("我|本人|俺|家", lives.family),
    Group(
        "喜欢|爱|偏|倾向|讨厌|受不了|反感|烦|厌恶|恨|待见|看不惯|更|宁|兴趣|无感|上瘾"
        "|不了|不来|接受"
        "|只|敏感|容忍|习惯|愿意|乐意|不欢|怕|恐高|晕|认床|失眠|起不来|迷|常用",
        tastes.tastes,
    ),
    Group(
        "升|更新|降|退|换|切|迁|改|转|投|搬|用|弃|停|卸|抛|放弃|废|淘汰|支持|锁|固定|下线|删",
        tools.changes,
    ),
    Group("端口|port|跑|监听|运行|部署|起|开|挂|暴露|/|\\", setup.setup),
    Group(
        "定|拍板|选|商|议|说好|谈妥|同意|一致|采用|方案|结论|结果|最后|最终|那|就", plans.decisions
    ),
    Group(
        "用|是|装|跑|版本|在|基于|依赖|写|党|户|选手|电脑|手机|服务器|主力|机器|：|:", tools.tools
    ),
    Group(_DAYS, plans.deadlines),
    Group("今|这|现在", plans.today),
    Group(_DAYS, plans.schedule),
)
