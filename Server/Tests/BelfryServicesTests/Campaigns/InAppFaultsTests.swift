import BelfryModel
import Foundation
import Testing

@testable import BelfryServices

/// What is wrong with an in-app campaign, without a store: every refusal names its field.
struct InAppFaultsTests {
    private static let schema: [String: AttributeType] = ["city": .string, "link": .string]
    private static let message = InAppDraft(
        type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Hi", body: "There")
    )

    private func faults(_ draft: CampaignDraft, scripts: Bool = false) -> [String] {
        do throws(ServiceError) {
            _ = try CampaignCheck.checked(
                draft, schema: Self.schema, centers: [MessageCenter(name: .primary)], allowsInAppScripts: scripts
            )
            return []
        } catch {
            guard case .invalidFields(let first, let others) = error else { return ["\(error)"] }
            return ([first] + others).map { "\($0.field) \($0.refusal.code)" }
        }
    }

    private func draft(
        _ message: InAppDraft?, kind: CampaignKind = .inApp, schedule: CampaignSchedule? = nil
    ) -> CampaignDraft {
        CampaignDraft(name: "Sale", kind: kind, audience: .everyone, inApp: message, schedule: schedule)
    }

    private func faults(scripts: Bool = false, _ change: (inout InAppDraft) -> Void) -> [String] {
        var message = Self.message
        change(&message)
        return faults(draft(message), scripts: scripts)
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("CAMP-1: an in-app campaign has its message and nothing that it would leave out")
    func kinds() {
        #expect(faults(draft(Self.message)) == [])
        #expect(faults(draft(nil)) == ["inApp missing"])
        var mixed = draft(Self.message)
        mixed.push = PushContent(title: "a", body: "b")
        mixed.messageCenter = MessageCenterContent(subject: "a", message: "b")
        #expect(faults(mixed) == ["push notPushed", "messageCenter notKept"])
        var push = draft(Self.message, kind: .push)
        push.push = PushContent(title: "a", body: "b")
        #expect(faults(push) == ["inApp notInApp"])
        #expect(faults(draft(Self.message, kind: .silent)) == ["inApp notInApp"])
    }

    @Test("IAM-5: a message has a trigger on an event, and asks for what a device knows")
    func triggers() {
        #expect(faults { $0.trigger = nil } == ["inApp.trigger missing"])
        for name in ["", "  ", text(129), "a\0"] {
            #expect(faults { $0.trigger?.event = name } == ["inApp.trigger.event invalidName"])
        }
        #expect(faults { $0.trigger?.occurrence = 0 } == ["inApp.trigger.occurrence outOfRange"])
        #expect(faults { $0.trigger?.occurrence = -1 } == ["inApp.trigger.occurrence outOfRange"])
        #expect(faults { $0.trigger?.occurrence = 3 } == [])
        #expect(
            faults {
                $0.trigger?.filter = .all([.attribute("anything", .exists(true)), .device(.appVersion, .equal("1.0"))])
            } == [])
        let unknown: [(Condition, String)] = [
            (.tag("vip"), "where.tag"), (.known(true), "where.known"), (.contactKeys(["a"]), "where.contactKeys"),
            (.all([.everyone, .not(.deviceIDs(["a"]))]), "where.all[1].not.deviceIds"),
            (.event(EventClause(name: "purchase")), "where.event"),
            (.deviceFact(.lastOpenedAt, .exists(true)), "where.device"),
        ]
        for (filter, path) in unknown {
            #expect(faults { $0.trigger?.filter = filter } == ["inApp.trigger.\(path) notOfTrigger"])
        }
    }

    @Test("IAM-12: an inline message has a view and no trigger, all others a trigger and no view")
    func inline() {
        func faults(_ change: (inout InAppDraft) -> Void) -> [String] {
            var message = InAppDraft(type: .inline, viewId: "home", content: InAppContent(body: "Hi"))
            change(&message)
            return self.faults(draft(message))
        }
        #expect(faults { _ in } == [])
        #expect(faults { $0.viewId = nil } == ["inApp.viewId missing"])
        for view in ["", " ", text(65), "a\0"] {
            #expect(faults { $0.viewId = view } == ["inApp.viewId invalidLength"])
        }
        #expect(faults { $0.trigger = InAppTrigger(event: "a") } == ["inApp.trigger notTriggered"])
        #expect(faults { $0.delaySeconds = 1 } == ["inApp.delaySeconds notTriggered"])
        #expect(self.faults { $0.viewId = "home" } == ["inApp.viewId notInline"])
    }

    @Test("IAM-1: priority, limit and delay have their ranges, dates do not contradict each other")
    func numbers() {
        #expect(faults { ($0.priority, $0.displayLimit, $0.delaySeconds) = (0, 1, 0) } == [])
        #expect(faults { ($0.priority, $0.displayLimit, $0.delaySeconds) = (1_000_000, 1_000, 86_400) } == [])
        #expect(
            faults { ($0.priority, $0.displayLimit, $0.delaySeconds) = (-1, 0, -1) } == [
                "inApp.priority outOfRange", "inApp.displayLimit outOfRange", "inApp.delaySeconds outOfRange",
            ])
        #expect(
            faults { ($0.priority, $0.displayLimit, $0.delaySeconds) = (1_000_001, 1_001, 86_401) } == [
                "inApp.priority outOfRange", "inApp.displayLimit outOfRange", "inApp.delaySeconds outOfRange",
            ])
        let noon = Date(timeIntervalSince1970: 1_795_262_400)
        #expect(faults { ($0.startsAt, $0.endsAt) = (noon, noon) } == ["inApp.endsAt outOfRange"])
        #expect(
            faults { ($0.startsAt, $0.endsAt) = (noon, noon.addingTimeInterval(-1)) } == ["inApp.endsAt outOfRange"])
        #expect(faults { ($0.startsAt, $0.endsAt) = (noon, noon.addingTimeInterval(1)) } == [])
        var message = Self.message
        message.endsAt = noon
        #expect(faults(draft(message, schedule: CampaignSchedule(at: noon))) == ["inApp.endsAt outOfRange"])
    }

    @Test("CAMP-5: an in-app campaign begins at a time, and has no other word on its sending")
    func schedules() throws {
        let at = Date(timeIntervalSince1970: 1_795_262_400)
        #expect(faults(draft(Self.message, schedule: CampaignSchedule(at: at))) == [])
        let all = CampaignSchedule(
            localAt: LocalDateTime("2030-12-01T09:00:00"),
            quietHours: QuietHours(
                from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("08:00")), then: .delay
            ),
            frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D")), expiresAt: at, ratePerSecond: 5
        )
        #expect(
            faults(draft(Self.message, schedule: all)) == [
                "schedule.localAt notInApp", "schedule.quietHours notInApp", "schedule.frequencyCap notInApp",
                "schedule.expiresAt notInApp", "schedule.ratePerSecond notInApp",
            ])
    }

    @Test("IAM-12: each type has what it needs, and nothing that it does not show")
    func types() {
        func faults(_ type: InAppType, _ content: InAppContent) -> [String] {
            self.faults { ($0.type, $0.content) = (type, content) }
        }
        for type in [InAppType.modal, .full, .bannerTop, .bannerBottom] {
            #expect(faults(type, InAppContent()) == ["inApp.content.body missing"])
            for content in [
                InAppContent(title: "a"), InAppContent(body: "b"), InAppContent(imageUrl: "https://example.com/a.png"),
            ] {
                #expect(faults(type, content) == [])
            }
        }
        #expect(faults(.fullImage, InAppContent(title: "a")) == ["inApp.content.imageUrl missing"])
        #expect(faults(.fullImage, InAppContent(imageUrl: "https://example.com/a.png")) == [])
        #expect(faults(.html, InAppContent()) == ["inApp.content.html missing"])
        #expect(faults(.html, InAppContent(html: "<p>")) == [])
        #expect(
            faults(.html, InAppContent(title: "a", buttons: [], colors: InAppColors(), html: "<p>")) == [
                "inApp.content.title notTogether", "inApp.content.buttons notTogether",
                "inApp.content.colors notTogether",
            ])
        #expect(faults(.modal, InAppContent(title: "a", html: "<p>")) == ["inApp.content.html notTogether"])
        let event = InAppAction(type: .event, name: "bonus")
        #expect(faults(.modal, InAppContent(title: "a", actions: [event])) == ["inApp.content.actions notTogether"])
        #expect(faults(.action, InAppContent(actions: [event])) == [])
        #expect(faults(.action, InAppContent()) == ["inApp.content.actions missing"])
        #expect(faults(.action, InAppContent(actions: [])) == ["inApp.content.actions missing"])
        #expect(
            faults(.action, InAppContent(actions: [.init(type: .close)])) == [
                "inApp.content.actions[0].type notTogether"
            ])
        let many = Array(repeating: event, count: 11)
        #expect(faults(.action, InAppContent(actions: many)) == ["inApp.content.actions tooMany"])
    }

    @Test("IAM-12: texts are not blank and have their lengths")
    func texts() {
        #expect(
            faults { $0.content = InAppContent(title: " ", body: "\n", imageAlt: "") } == [
                "inApp.content.title blank", "inApp.content.body blank", "inApp.content.imageAlt blank",
            ])
        #expect(
            faults { $0.content = InAppContent(title: text(200), body: text(2_000), imageAlt: text(200)) } == [])
        #expect(
            faults { $0.content = InAppContent(title: text(201), body: text(2_001), imageAlt: text(201)) } == [
                "inApp.content.title tooLong", "inApp.content.body tooLong", "inApp.content.imageAlt tooLong",
            ])
        #expect(faults { $0.content.imageUrl = "http://example.com/a.png" } == ["inApp.content.imageUrl invalidURL"])
    }

    @Test("IAM-12: HTML has a size, and no script unless the app allows it")
    func html() {
        func faults(_ html: String, scripts: Bool = false) -> [String] {
            self.faults(scripts: scripts) { ($0.type, $0.content) = (.html, InAppContent(html: html)) }
        }
        let field = "inApp.content.html"
        #expect(faults(text(262_144)) == [] && faults(text(262_145)) == ["\(field) tooLong"])
        #expect(faults(" ") == ["\(field) blank"] && faults("<p>\0") == ["\(field) invalidCharacter"])
        #expect(faults("<script>1</script>") == ["\(field) scriptNotAllowed"])
        #expect(faults("<script>1</script>", scripts: true) == [])
        #expect(faults("<p onclick='1'>") == ["\(field) scriptNotAllowed"])
        #expect(faults("<p onclick='1'>", scripts: true) == [])
        #expect(faults("<iframe src='https://a.b'>", scripts: true) == ["\(field) notAllowed"])
        #expect(faults("<p>{{{city}}}</p>") == ["\(field) unescapedTag"])
    }
}
