import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryServices

/// The errors of a campaign with a message for message centers, without a store.
struct MessageCenterErrorsTests {
    private static let schema: [String: AttributeType] = ["city": .string, "link": .string]
    private static let centers = [
        MessageCenter(name: .primary), MessageCenter(name: MessageCenterName(stored: "news"), label: "News"),
        MessageCenter(name: MessageCenterName(stored: "old"), isEnabled: false),
    ]
    private static let push = PushContent(title: "Hi", body: "There")
    private static let message = MessageCenterContent(subject: "Hi", message: "There")

    private func draft(
        _ message: MessageCenterContent?, kind: CampaignKind = .messageCenter, push: PushContent? = nil,
        schedule: CampaignSchedule? = nil
    ) -> CampaignDraft {
        CampaignDraft(
            name: "Sale", kind: kind, audience: .everyone, push: push, messageCenter: message, schedule: schedule
        )
    }

    private func checked(_ draft: CampaignDraft) throws(ServiceError) -> CampaignDraft {
        try CampaignCheck.checked(draft, centers: Self.centers, texts: TextCompiler(schema: Self.schema))
    }

    private func errors(_ draft: CampaignDraft) -> [String] {
        do throws(ServiceError) {
            _ = try checked(draft)
            return []
        } catch {
            guard case .invalidFields(let first, let others) = error else { return ["\(error)"] }
            return ([first] + others).map { "\($0.field) \($0.error.code)" }
        }
    }

    private func errors(_ change: (inout MessageCenterContent) -> Void) -> [String] {
        var message = Self.message
        change(&message)
        return errors(draft(message))
    }

    private func errors(
        beside push: PushContent, _ change: (inout MessageCenterContent) -> Void = { _ in }
    ) -> [String] {
        var message = MessageCenterContent()
        change(&message)
        return errors(draft(message, kind: .pushAndMessageCenter, push: push))
    }

    @Test("CAMP-1, MC-3: each kind has its required fields and no unused ones")
    func kinds() {
        #expect(errors(draft(Self.message)) == [])
        #expect(errors(draft(nil)) == ["messageCenter missing"])
        #expect(errors(draft(Self.message, push: Self.push)) == ["push notPushed"])
        #expect(errors(draft(nil, kind: .pushAndMessageCenter, push: Self.push)) == [])
        #expect(errors(draft(Self.message, kind: .pushAndMessageCenter)) == ["push missing"])
        #expect(errors(draft(Self.message, kind: .push, push: Self.push)) == ["messageCenter notKept"])
        #expect(errors(draft(Self.message, kind: .silent)) == ["messageCenter notKept"])
        #expect(errors(draft(nil, kind: .inApp)) == ["inApp missing"])
    }

    @Test("MC-3: with a push, a draft is saved with its own message")
    func saved() throws {
        let kept = try checked(draft(nil, kind: .pushAndMessageCenter, push: Self.push))
        #expect(kept.messageCenter == MessageCenterContent())
    }

    @Test("MC-2: a message goes to an enabled center of the app")
    func centers() throws {
        #expect(errors { $0.center = "Primary" } == [] && errors { $0.center = "news" } == [])
        #expect(errors { $0.center = "old" } == ["messageCenter.center messageCenterDisabled"])
        for unknown in ["nws", "News", "primary"] {
            #expect(errors { $0.center = unknown } == ["messageCenter.center unknownMessageCenter"])
        }
        for none in ["", " ", " news", "news\n", "a/b", "ä", String(repeating: "a", count: 65)] {
            #expect(errors { $0.center = none } == ["messageCenter.center invalidMessageCenterName"])
        }
        var message = Self.message
        message.center = "nws"
        do throws(ServiceError) {
            _ = try checked(draft(message))
            Issue.record("it was taken")
        } catch {
            guard case .invalidFields(let fault, _) = error else { return }
            #expect(fault.error.message == "The app has no message center 'nws'. Did you mean 'news'?")
        }
    }

    @Test("MC-8: texts have maximum lengths, also those inherited from a push")
    func lengths() {
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        #expect(errors { $0.subject = "" } == ["messageCenter.subject blank"])
        #expect(
            errors { ($0.subject, $0.message) = (" ", "\n") }
                == ["messageCenter.subject blank", "messageCenter.message blank"])
        #expect(errors { $0.subject = String(repeating: "é", count: 200) } == [])
        #expect(errors { $0.subject = text(201) } == ["messageCenter.subject tooLong"])
        #expect(errors { $0.message = text(16_384) } == [])
        #expect(errors { $0.message = text(16_385) } == ["messageCenter.message tooLong"])
        #expect(errors { $0.richHtml = text(262_144) } == [])
        #expect(errors { $0.richHtml = text(262_145) } == ["messageCenter.richHtml tooLong"])
        #expect(errors { $0.richHtml = "<p>\0" } == ["messageCenter.richHtml invalidCharacter"])
        #expect(errors { $0.richHtml = " " } == ["messageCenter.richHtml blank"])
        #expect(errors { $0.custom = ["k": .string(text(8_192))] } == ["messageCenter.custom tooLong"])
        #expect(errors { $0.custom = ["k": .number(.nan)] } == ["messageCenter.custom notEncodable"])
        let long = PushContent(title: text(201), body: "b")
        #expect(errors(beside: long) == ["messageCenter.subject tooLong"])
        #expect(errors(beside: long) { $0.subject = "short" } == [])
    }

    @Test("CAMP-6: a message has a page or HTML, and its addresses may be opened")
    func richContent() {
        #expect(errors { $0.richHtml = "<p>Hi {{city}}" } == [])
        #expect(
            errors { ($0.richUrl, $0.richHtml) = ("https://example.com", "<p>") }
                == ["messageCenter.richHtml notTogether"])
        #expect(
            errors { ($0.iconUrl, $0.richUrl) = ("http://example.com/a.png", "shop://x") }
                == ["messageCenter.iconUrl invalidURL", "messageCenter.richUrl invalidURL"])
        #expect(errors { $0.deeplinkUrl = "javascript:alert(1)" } == ["messageCenter.deeplinkUrl schemeNotAllowed"])
        #expect(errors { $0.deeplinkUrl = "nowhere" } == ["messageCenter.deeplinkUrl invalidURL"])
        #expect(errors { $0.deeplinkUrl = "" } == ["messageCenter.deeplinkUrl invalidURL"])
        #expect(errors { ($0.deeplinkUrl, $0.richHtml) = ("shop://x", "<p>") } == [])
    }

    @Test("CAMP-6: a push opens a rich message by its address, or the kept message, and never both")
    func openRichMessage() {
        let open = PushContent(title: "a", body: "b", action: .init(type: .openRichMessage))
        #expect(errors(beside: open) == ["push.action.url missing"])
        #expect(errors(beside: open) { $0.richHtml = "<p>" } == [])
        #expect(errors(beside: open) { $0.richUrl = "https://example.com" } == [])
        #expect(errors(draft(nil, kind: .push, push: open)) == ["push.action.url missing"])
        var page = open
        page.action?.url = "https://example.com"
        #expect(errors(beside: page) == [])
        #expect(errors(beside: page) { $0.richHtml = "<p>" } == ["messageCenter.richHtml notTogether"])
        let link = PushContent(title: "a", body: "b", action: .init(type: .openUrl))
        #expect(errors(beside: link) { $0.deeplinkUrl = "shop://x" } == ["push.action.url missing"])
        // Each language is checked separately.
        var french = open
        french.action = nil
        french.variants = ["fr": PushVariant(action: .init(type: .openRichMessage))]
        #expect(errors(beside: french) == ["push.variants.fr.action.url missing"])
        #expect(errors(beside: french) { $0.variants = ["fr": MessageCenterVariant(richHtml: "<p>")] } == [])
        french.variants?["fr"]?.action?.url = "https://example.com/fr"
        #expect(
            errors(beside: french) { $0.variants = ["fr": MessageCenterVariant(richHtml: "<p>")] }
                == ["messageCenter.variants.fr.richHtml notTogether"]
        )
        let button = NotificationButton(id: "a", text: "A", action: .init(type: .openRichMessage))
        let withButton = PushContent(title: "a", body: "b", buttons: [button])
        #expect(errors(beside: withButton) { $0.richHtml = "<p>" } == ["push.buttons[0].action.url missing"])
    }

    @Test("BADGE-1: a badge is incremented by 1 and more, set to 0 and more, or cleared, in one place")
    func badges() {
        let fine: [BadgeChange] = [
            .init(op: .increment), .init(op: .increment, value: 1), .init(op: .set, value: 0),
            .init(op: .set, value: 9_999), .init(op: .clear),
        ]
        for badge in fine {
            #expect(errors { $0.badge = badge } == [])
            #expect(errors(draft(nil, kind: .push, push: PushContent(title: "a", body: "b", badge: badge))) == [])
        }
        let bad: [(BadgeChange, String)] = [
            (.init(op: .increment, value: 0), "outOfRange"), (.init(op: .increment, value: -1), "outOfRange"),
            (.init(op: .set, value: -1), "outOfRange"), (.init(op: .set, value: 10_000), "outOfRange"),
            (.init(op: .set), "missing"), (.init(op: .clear, value: 0), "notTogether"),
            (.init(op: .increment, value: .max), "outOfRange"),
        ]
        for (badge, code) in bad {
            #expect(errors { $0.badge = badge } == ["messageCenter.badge.value \(code)"])
            let push = PushContent(title: "a", body: "b", badge: badge)
            #expect(errors(beside: push) == ["push.badge.value \(code)"])
        }
        let push = PushContent(title: "a", body: "b", badge: .init(op: .clear))
        #expect(errors(beside: push) { $0.badge = .init(op: .clear) } == ["messageCenter.badge notTogether"])
    }

    @Test("CAMP-4: errors that a message inherits from its push, or a variant from its message, are reported once")
    func inherited() {
        let push = PushContent(title: "{{shoe}}", body: "b", variants: ["fr": PushVariant(body: "{{")])
        #expect(errors(beside: push) == ["push.title undefinedAttribute", "push.variants.fr.body invalidTemplate"])
        #expect(
            errors {
                $0.subject = "{{shoe}}"
                $0.custom = ["sku": "{{"]
                $0.defaults = ["hat": "x"]
                $0.variants = ["fr": MessageCenterVariant(message: "{{/x}}"), "de": MessageCenterVariant(subject: "d")]
            } == [
                "messageCenter.defaults.hat undefinedAttribute", "messageCenter.subject undefinedAttribute",
                "messageCenter.custom.sku invalidTemplate", "messageCenter.variants.fr.message invalidTemplate",
            ]
        )
        // The push's default serves the message's variable.
        let withDefault = PushContent(title: "{{city}}", body: "b", defaults: ["city": "you"])
        #expect(errors(beside: withDefault) { $0.message = "{{contact.city}}" } == [])
        #expect(
            errors { ($0.deeplinkUrl, $0.defaults) = ("{{link}}", ["link": "nowhere"]) }
                == ["messageCenter.deeplinkUrl invalidURL"]
        )
    }

    @Test("CAMP-6: variants of a message are for locales, each one once")
    func variants() {
        #expect(
            errors {
                $0.variants = [
                    "x": MessageCenterVariant(), "fr-CA": MessageCenterVariant(subject: " "),
                    "fr_CA": MessageCenterVariant(richUrl: "https://example.com", richHtml: "<p>"),
                ]
            } == [
                "messageCenter.variants.fr-CA.subject blank", "messageCenter.variants.fr_CA duplicate",
                "messageCenter.variants.fr_CA.richHtml notTogether", "messageCenter.variants.x invalidLocale",
            ]
        )
        let many = (0..<101).map { number in
            ("a" + String(UnicodeScalar(97 + number / 26)) + String(number % 26), number)
        }
        #expect(
            errors { message in
                message.variants = Dictionary(uniqueKeysWithValues: many.map { ("\($0.0)", MessageCenterVariant()) })
            }.contains("messageCenter.variants tooMany")
        )
    }

    @Test("MC-5: a message expires after the first time at which it is sent")
    func expiry() throws {
        func errors(_ expiry: String, _ schedule: CampaignSchedule) -> [String] {
            var message = Self.message
            message.expiresAt = Timestamp.date(expiry)
            return self.errors(draft(message, schedule: schedule))
        }
        let at = CampaignSchedule(at: Timestamp.date("2026-12-01T12:00:00Z"))
        #expect(errors("2026-12-01T12:00:01Z", at) == [])
        #expect(errors("2026-12-01T12:00:00Z", at) == ["messageCenter.expiresAt outOfRange"])
        let noon = try #require(LocalDateTime("2026-12-01T12:00:00"))
        let local = CampaignSchedule(localAt: noon)
        #expect(errors("2026-11-30T22:00:01Z", local) == [])
        #expect(errors("2026-11-30T22:00:00Z", local) == ["messageCenter.expiresAt outOfRange"])
    }

    @Test("PUSH-1: the size of a push includes its message reference and its badge")
    func size() throws {
        let room = 3_993
        func push(_ count: Int) -> PushContent {
            PushContent(title: "a", body: String(repeating: "x", count: count), badge: .init(op: .increment))
        }
        let campaign = try #require(CampaignID(CampaignID.maximum))
        let extras = PushExtras(keepsMessage: true, changesBadge: true)
        let least = try WebPushPayloadTemplate(content: push(0), extras: extras, campaign: campaign).size
        #expect(errors(beside: push(room - least)) { $0.message = "short" } == [])
        #expect(errors(beside: push(room - least + 1)) { $0.message = "short" } == ["push payloadTooLarge"])
        #expect(errors(draft(nil, kind: .push, push: push(room - least + 1))) == [])
    }
}
