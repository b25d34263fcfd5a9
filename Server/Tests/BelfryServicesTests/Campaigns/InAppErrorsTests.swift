import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryServices

/// The errors of an in-app campaign, without a store: each names its field.
struct InAppErrorsTests {
    private static let schema: [String: AttributeType] = ["city": .string, "link": .string]
    private static let message = InAppDraft(
        type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Hi", body: "There")
    )

    private func errors(_ draft: CampaignDraft, scripts: Bool = false) -> [String] {
        do throws(ServiceError) {
            _ = try CampaignCheck.checked(
                draft, centers: [MessageCenter(name: .primary)], allowsInAppScripts: scripts,
                texts: TextCompiler(schema: Self.schema)
            )
            return []
        } catch {
            guard case .invalidFields(let first, let others) = error else { return ["\(error)"] }
            return ([first] + others).map { "\($0.field) \($0.error.code)" }
        }
    }

    private func draft(
        _ message: InAppDraft?, kind: CampaignKind = .inApp, schedule: CampaignSchedule? = nil
    ) -> CampaignDraft {
        CampaignDraft(name: "Sale", kind: kind, audience: .everyone, inApp: message, schedule: schedule)
    }

    private func errors(scripts: Bool = false, _ change: (inout InAppDraft) -> Void) -> [String] {
        var message = Self.message
        change(&message)
        return errors(draft(message), scripts: scripts)
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("CAMP-1: an in-app campaign has its message and no unused fields")
    func kinds() {
        #expect(errors(draft(Self.message)) == [])
        #expect(errors(draft(nil)) == ["inApp missing"])
        var mixed = draft(Self.message)
        mixed.push = PushContent(title: "a", body: "b")
        mixed.messageCenter = MessageCenterContent(subject: "a", message: "b")
        #expect(errors(mixed) == ["push notPushed", "messageCenter notKept"])
        var push = draft(Self.message, kind: .push)
        push.push = PushContent(title: "a", body: "b")
        #expect(errors(push) == ["inApp notInApp"])
        #expect(errors(draft(Self.message, kind: .silent)) == ["inApp notInApp"])
    }

    @Test("IAM-5: a message has a trigger on an event, with conditions that a device can evaluate")
    func triggers() {
        #expect(errors { $0.trigger = nil } == ["inApp.trigger missing"])
        for name in ["", "  ", text(129), "a\0"] {
            #expect(errors { $0.trigger?.event = name } == ["inApp.trigger.event invalidName"])
        }
        #expect(errors { $0.trigger?.occurrence = 0 } == ["inApp.trigger.occurrence outOfRange"])
        #expect(errors { $0.trigger?.occurrence = -1 } == ["inApp.trigger.occurrence outOfRange"])
        #expect(errors { $0.trigger?.occurrence = 3 } == [])
        #expect(
            errors {
                $0.trigger?.filter = .all([.attribute("anything", .exists(true)), .device(.appVersion, .equal("1.0"))])
            } == [])
        let unknown: [(Condition, String)] = [
            (.tag("vip"), "where.tag"), (.known(true), "where.known"), (.contactKeys(["a"]), "where.contactKeys"),
            (.all([.everyone, .not(.deviceIDs(["a"]))]), "where.all[1].not.deviceIds"),
            (.event(EventClause(name: "purchase")), "where.event"),
            (.deviceFact(.lastOpenedAt, .exists(true)), "where.device"),
        ]
        for (filter, path) in unknown {
            #expect(errors { $0.trigger?.filter = filter } == ["inApp.trigger.\(path) notOfTrigger"])
        }
    }

    @Test("IAM-12: an inline message has a view and no trigger, all others a trigger and no view")
    func inline() {
        func errors(_ change: (inout InAppDraft) -> Void) -> [String] {
            var message = InAppDraft(type: .inline, viewId: "home", content: InAppContent(body: "Hi"))
            change(&message)
            return self.errors(draft(message))
        }
        #expect(errors { _ in } == [])
        #expect(errors { $0.viewId = nil } == ["inApp.viewId missing"])
        for view in ["", " ", text(65), "a\0"] {
            #expect(errors { $0.viewId = view } == ["inApp.viewId invalidLength"])
        }
        #expect(errors { $0.trigger = InAppTrigger(event: "a") } == ["inApp.trigger notTriggered"])
        #expect(errors { $0.delaySeconds = 1 } == ["inApp.delaySeconds notTriggered"])
        #expect(self.errors { $0.viewId = "home" } == ["inApp.viewId notInline"])
    }

    @Test("IAM-1: priority, limit and delay have ranges, dates do not contradict each other")
    func numbers() {
        #expect(errors { ($0.priority, $0.displayLimit, $0.delaySeconds) = (0, 1, 0) } == [])
        #expect(errors { ($0.priority, $0.displayLimit, $0.delaySeconds) = (1_000_000, 1_000, 86_400) } == [])
        #expect(
            errors { ($0.priority, $0.displayLimit, $0.delaySeconds) = (-1, 0, -1) } == [
                "inApp.priority outOfRange", "inApp.displayLimit outOfRange", "inApp.delaySeconds outOfRange",
            ])
        #expect(
            errors { ($0.priority, $0.displayLimit, $0.delaySeconds) = (1_000_001, 1_001, 86_401) } == [
                "inApp.priority outOfRange", "inApp.displayLimit outOfRange", "inApp.delaySeconds outOfRange",
            ])
        let noon = Date(timeIntervalSince1970: 1_795_262_400)
        #expect(errors { ($0.startsAt, $0.endsAt) = (noon, noon) } == ["inApp.endsAt outOfRange"])
        #expect(
            errors { ($0.startsAt, $0.endsAt) = (noon, noon.addingTimeInterval(-1)) } == ["inApp.endsAt outOfRange"])
        #expect(errors { ($0.startsAt, $0.endsAt) = (noon, noon.addingTimeInterval(1)) } == [])
        var message = Self.message
        message.endsAt = noon
        #expect(errors(draft(message, schedule: CampaignSchedule(at: noon))) == ["inApp.endsAt outOfRange"])
    }

    @Test("CAMP-5: an in-app campaign may have a start, and no other schedule")
    func schedules() throws {
        let at = Date(timeIntervalSince1970: 1_795_262_400)
        #expect(errors(draft(Self.message, schedule: CampaignSchedule(at: at))) == [])
        let all = CampaignSchedule(
            localAt: LocalDateTime("2030-12-01T09:00:00"),
            quietHours: QuietHours(
                from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("08:00")), then: .delay
            ),
            frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D")), expiresAt: at, ratePerSecond: 5
        )
        #expect(
            errors(draft(Self.message, schedule: all)) == [
                "schedule.localAt notInApp", "schedule.quietHours notInApp", "schedule.frequencyCap notInApp",
                "schedule.expiresAt notInApp", "schedule.ratePerSecond notInApp",
            ])
    }

    @Test("IAM-12: each type has its required fields, and none that it does not show")
    func types() {
        func errors(_ type: InAppType, _ content: InAppContent) -> [String] {
            self.errors { ($0.type, $0.content) = (type, content) }
        }
        for type in [InAppType.modal, .full, .bannerTop, .bannerBottom] {
            #expect(errors(type, InAppContent()) == ["inApp.content.body missing"])
            for content in [
                InAppContent(title: "a"), InAppContent(body: "b"), InAppContent(imageUrl: "https://example.com/a.png"),
            ] {
                #expect(errors(type, content) == [])
            }
        }
        #expect(errors(.fullImage, InAppContent(title: "a")) == ["inApp.content.imageUrl missing"])
        #expect(errors(.fullImage, InAppContent(imageUrl: "https://example.com/a.png")) == [])
        #expect(errors(.html, InAppContent()) == ["inApp.content.html missing"])
        #expect(errors(.html, InAppContent(html: "<p>")) == [])
        #expect(
            errors(.html, InAppContent(title: "a", buttons: [], colors: InAppColors(), html: "<p>")) == [
                "inApp.content.title notTogether", "inApp.content.buttons notTogether",
                "inApp.content.colors notTogether",
            ])
        #expect(errors(.modal, InAppContent(title: "a", html: "<p>")) == ["inApp.content.html notTogether"])
        let event = InAppAction(type: .event, name: "bonus")
        #expect(errors(.modal, InAppContent(title: "a", actions: [event])) == ["inApp.content.actions notTogether"])
        #expect(errors(.action, InAppContent(actions: [event])) == [])
        #expect(errors(.action, InAppContent()) == ["inApp.content.actions missing"])
        #expect(errors(.action, InAppContent(actions: [])) == ["inApp.content.actions missing"])
        #expect(
            errors(.action, InAppContent(actions: [.init(type: .close)])) == [
                "inApp.content.actions[0].type notTogether"
            ])
        let many = Array(repeating: event, count: 11)
        #expect(errors(.action, InAppContent(actions: many)) == ["inApp.content.actions tooMany"])
    }

    @Test("IAM-12: texts are not blank and have maximum lengths")
    func texts() {
        #expect(
            errors { $0.content = InAppContent(title: " ", body: "\n", imageAlt: "") } == [
                "inApp.content.title blank", "inApp.content.body blank", "inApp.content.imageAlt blank",
            ])
        #expect(
            errors { $0.content = InAppContent(title: text(200), body: text(2_000), imageAlt: text(200)) } == [])
        #expect(
            errors { $0.content = InAppContent(title: text(201), body: text(2_001), imageAlt: text(201)) } == [
                "inApp.content.title tooLong", "inApp.content.body tooLong", "inApp.content.imageAlt tooLong",
            ])
        #expect(errors { $0.content.imageUrl = "http://example.com/a.png" } == ["inApp.content.imageUrl invalidURL"])
    }

    @Test("IAM-12: HTML has a maximum size, and no script unless the app allows it")
    func html() {
        func errors(_ html: String, scripts: Bool = false) -> [String] {
            self.errors(scripts: scripts) { ($0.type, $0.content) = (.html, InAppContent(html: html)) }
        }
        let field = "inApp.content.html"
        #expect(errors(text(262_144)) == [] && errors(text(262_145)) == ["\(field) tooLong"])
        #expect(errors(" ") == ["\(field) blank"] && errors("<p>\0") == ["\(field) invalidCharacter"])
        #expect(errors("<script>1</script>") == ["\(field) scriptNotAllowed"])
        #expect(errors("<script>1</script>", scripts: true) == [])
        #expect(errors("<p onclick='1'>") == ["\(field) scriptNotAllowed"])
        #expect(errors("<p onclick='1'>", scripts: true) == [])
        #expect(errors("<iframe src='https://a.b'>", scripts: true) == ["\(field) notAllowed"])
        #expect(errors("<p>{{{city}}}</p>") == ["\(field) unescapedTag"])
    }
}
