import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation

@testable import BelfryConsole

/// Drafts of every kind with whatever they can have, also what forms do not show and what hostile people write.
struct RandomDrafts {
    var dice: SeededGenerator

    static let texts = [
        "Hello {{city}}", "<b>\"x\"</b>", "a\nb", "\nfirst", "\u{202E}reversed", "👩‍👩‍👧‍👦", " spaces ", "a = b", "x,y", "\\n",
        "e\u{301}", "'", "&amp;", "</textarea><script>alert(1)</script>", "ünï", "line\u{2028}separator", "0", "true",
        "4.5",
    ]

    private mutating func text() -> String { Self.texts.randomElement(using: &dice) ?? "" }
    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        Bool.random(using: &dice) ? make(&self) : nil
    }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &dice) }
    private mutating func list<Value>(_ most: Int, _ make: (inout Self, Int) -> Value) -> [Value] {
        (0..<number(0...most)).map { make(&self, $0) }
    }
    /// With seconds and their fractions, which no field shows.
    private mutating func date() -> Date {
        Date(timeIntervalSince1970: 1_790_000_000 + Double(number(0...10_000_000)) + 0.5)
    }

    mutating func draft(_ kind: CampaignKind) -> CampaignDraft {
        var draft = CampaignDraft(name: text(), kind: kind, audience: audience(), schedule: maybe { $0.schedule(kind) })
        if draft.schedule == CampaignSchedule() { draft.schedule = nil }
        switch kind {
        case .push, .silent: draft.push = push()
        case .pushAndMessageCenter:
            draft.push = push()
            draft.messageCenter = center()
            draft.messageCenter?.badge = nil
        case .messageCenter: draft.messageCenter = center()
        case .inApp: draft.inApp = inApp()
        }
        return draft
    }

    private mutating func push() -> PushContent {
        var push = PushContent(title: text(), body: text())
        push.subtitle = maybe { $0.text() }
        push.imageUrl = maybe { $0.text() }
        push.sound = maybe { $0.text() }
        push.collapseId = maybe { $0.text() }
        push.threadId = maybe { $0.text() }
        push.category = maybe { $0.text() }
        push.ttlSeconds = maybe { $0.number(0...2_000_000) }
        push.priority = maybe { $0.number(1...10) }
        push.relevanceScore = maybe { Double($0.number(0...10)) / 10 }
        push.interruptionLevel = maybe { InterruptionLevel.allCases.randomElement(using: &$0.dice) ?? .active }
        push.androidVisibility = maybe { LockScreenVisibility.allCases.randomElement(using: &$0.dice) ?? .nothing }
        push.browsers = maybe { Bool.random(using: &$0.dice) }
        push.badge = maybe { BadgeChange(op: .increment, value: $0.maybe { $0.number(1...9) }) }
        push.action = maybe { $0.action() }
        push.custom = maybe { ["screen": .string($0.text()), "n": .number(Double($0.number(0...9))), "b": true] }
        push.defaults = maybe { ["city": $0.text(), "na=me": $0.text()] }
        push.buttons = maybe { dice in
            dice.list(3) { NotificationButton(id: "b\($1)", text: $0.text(), action: $0.maybe { $0.action() }) }
        }
        if push.buttons?.isEmpty == true { push.buttons = nil }
        push.variants = maybe { ["de": $0.pushVariant(), "zh-Hant": $0.pushVariant()] }
        return push
    }

    private mutating func pushVariant() -> PushVariant {
        PushVariant(
            title: maybe { $0.text() }, subtitle: maybe { $0.text() }, body: maybe { $0.text() },
            imageUrl: maybe { $0.text() }, action: maybe { $0.action() },
            buttons: maybe { [NotificationButton(id: "b0", text: $0.text())] }
        )
    }

    private mutating func action() -> NotificationAction {
        NotificationAction(
            type: NotificationAction.Kind.allCases.randomElement(using: &dice) ?? .launchApp, url: maybe { $0.text() }
        )
    }

    private mutating func center() -> MessageCenterContent {
        var content = MessageCenterContent(center: maybe { _ in "Offers" }, subject: text(), message: text())
        content.iconUrl = maybe { $0.text() }
        content.deeplinkUrl = maybe { $0.text() }
        content.richUrl = maybe { $0.text() }
        content.richHtml = maybe { $0.text() }
        content.expiresAt = maybe { $0.date() }
        content.badge = maybe { _ in BadgeChange(op: .clear) }
        content.custom = maybe { ["a": .string($0.text())] }
        content.defaults = maybe { ["city": $0.text()] }
        content.variants = maybe { dice in
            [
                "fr": MessageCenterVariant(
                    subject: dice.maybe { $0.text() }, iconUrl: "https://example.com",
                    richHtml: dice.maybe { $0.text() })
            ]
        }
        return content
    }

    private mutating func inApp() -> InAppDraft {
        var content = InAppContent(title: maybe { $0.text() }, body: maybe { $0.text() })
        content.imageUrl = maybe { $0.text() }
        content.imageAlt = maybe { $0.text() }
        content.html = maybe { $0.text() }
        content.layout = maybe { _ in .titleImageBody }
        content.colors = maybe { dice in
            InAppColors(
                background: "#FFFFFF", text: dice.maybe { $0.text() },
                dark: dice.maybe { _ in InAppDarkColors(button: "#000000") })
        }
        content.action = maybe { $0.inAppAction() }
        content.actions = maybe { dice in dice.list(3) { dice, _ in dice.inAppAction() } }
        if content.actions?.isEmpty == true { content.actions = nil }
        content.buttons = maybe { dice in
            dice.list(5) { InAppButton(id: "b\($1)", text: $0.text(), action: $0.inAppAction()) }
        }
        if content.buttons?.isEmpty == true { content.buttons = nil }
        var message = InAppDraft(type: InAppType.allCases.randomElement(using: &dice) ?? .modal, content: content)
        message.trigger = maybe { dice in
            InAppTrigger(
                event: dice.text(), filter: dice.maybe { $0.filter() }, occurrence: dice.maybe { $0.number(1...9) })
        }
        message.viewId = maybe { $0.text() }
        message.priority = maybe { $0.number(0...99) }
        message.startsAt = maybe { $0.date() }
        message.endsAt = maybe { $0.date() }
        message.displayLimit = maybe { $0.number(1...9) }
        message.delaySeconds = maybe { $0.number(0...99) }
        message.defaults = maybe { ["city": $0.text()] }
        message.variants = maybe { dice in
            [
                "ar": InAppVariant(
                    title: dice.maybe { $0.text() }, html: dice.maybe { $0.text() },
                    buttons: dice.maybe { ["b0": $0.text(), "other": $0.text()] })
            ]
        }
        return message
    }

    private mutating func inAppAction() -> InAppAction {
        InAppAction(
            type: InAppActionKind.allCases.randomElement(using: &dice) ?? .close, url: maybe { $0.text() },
            name: maybe { $0.text() }, attributes: maybe { ["a": .string($0.text())] }
        )
    }

    private mutating func schedule(_ kind: CampaignKind) -> CampaignSchedule {
        var schedule = CampaignSchedule()
        if kind == .inApp || Bool.random(using: &dice) {
            schedule.at = maybe { $0.date() }
        } else {
            schedule.localAt = maybe { LocalDateTime(secondsInUTC: 1_790_000_007 + Int64($0.number(0...99_999))) }
        }
        guard kind != .inApp else { return schedule }
        schedule.quietHours =
            maybe { dice in
                TimeOfDay("22:15").flatMap { from in
                    TimeOfDay("07:00").map {
                        QuietHours(from: from, to: $0, then: Bool.random(using: &dice.dice) ? .delay : .suppress)
                    }
                }
            } ?? nil
        schedule.frequencyCap =
            maybe { dice in
                let spans = ["P7D", "P1W", "PT90M", "PT36H", "P1DT30M"].compactMap { try? ISODuration($0) }
                return spans.randomElement(using: &dice.dice).map {
                    FrequencyCap(count: dice.number(1...9), within: $0)
                }
            } ?? nil
        schedule.expiresAt = maybe { $0.date() }
        schedule.ratePerSecond = maybe { $0.number(1...99) }
        return schedule
    }
}

extension RandomDrafts {
    mutating func audience() -> Condition {
        switch number(0...4) {
        case 0: .everyone
        case 1: .all(list(5) { dice, _ in dice.part() })
        case 2: .any(list(5) { dice, _ in dice.part() })
        default: row()
        }
    }

    private mutating func part() -> Condition {
        switch number(0...6) {
        case 0: .any(list(3) { dice, _ in dice.row() })
        case 1: .all(list(3) { dice, _ in dice.row() })
        case 2: .not(row())
        default: row()
        }
    }

    private mutating func row() -> Condition {
        switch number(0...9) {
        case 0: .tag(text())
        case 1: .not(.tag(text()))
        case 2: .attribute(["city", "visits", "vip", "gone"].randomElement(using: &dice) ?? "", comparison())
        case 3: .device(DeviceProperty.allCases.randomElement(using: &dice) ?? .platform, comparison())
        case 4: .deviceFact(.pushOptIn, .equal(true))
        case 5: .known(Bool.random(using: &dice))
        case 6: .contactKeys(list(3) { dice, _ in dice.text() })
        case 7: .party(.number, comparison())
        case 8: .not(.event(clause()))
        default: .event(clause())
        }
    }

    private mutating func clause() -> EventClause {
        let spans = ["P30D", "P2W", "PT12H"].compactMap { try? ISODuration($0) }
        return EventClause(
            name: text(), count: Bool.random(using: &dice) ? .atLeastOnce : EventCount(.less, number(0...9)),
            within: maybe { spans.randomElement(using: &$0.dice) } ?? nil, filter: maybe { $0.filter() }
        )
    }

    private mutating func filter() -> Condition {
        switch number(0...4) {
        case 0: .all([.attribute(text(), comparison()), .attribute("b", comparison())])
        case 1: .any([.attribute(text(), comparison()), .device(.appVersion, comparison())])
        case 2: .not(.attribute("a", comparison()))
        default: .attribute(text(), comparison())
        }
    }

    private mutating func comparison() -> Comparison {
        switch number(0...6) {
        case 0: .equal(.string(text()))
        case 1: .notEqual(.number(Double(number(0...99)) / 2))
        case 2: .isIn(list(3) { dice, _ in .string(dice.text()) })
        case 3: .contains(text())
        case 4: .exists(Bool.random(using: &dice))
        case 5: .greaterOrEqual(.boolean(true))
        default: .less(.number(Double(number(0...9))))
        }
    }
}
