import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryConsole
@testable import BelfryServices

@Suite("CON-7, CON-11: campaigns in words and figures")
struct CampaignWordsTests {
    @Test("CON-11: an audience is said in words, and long lists are cut")
    func audiences() {
        func words(_ condition: Condition) -> String { ConditionWords.sentence(condition) }
        #expect(words(.everyone) == "Everyone.")
        #expect(words(.tag("sports")) == "Devices whose contact has the tag 'sports'.")
        #expect(
            words(.all([.attribute("city", .equal("Paris")), .not(.tag("vip"))]))
                == "Devices whose contact's city is 'Paris' and that are not among those whose contact has the tag 'vip'."
        )
        #expect(
            words(
                .any([.attribute("visits", .greater(3)), .all([.known(true), .deviceFact(.pushOptIn, .equal(true))])]))
                == "Devices whose contact's visits is greater than 3 or (of known contacts and that may get pushes)."
        )
        #expect(words(.contactKeys((1...9).map { "c\($0)" })) == "Devices of the contacts 'c1', 'c2', 'c3' and 6 more.")
        #expect(
            words(.event(EventClause(name: "purchase", count: EventCount(.greaterOrEqual, 2))))
                == "Devices with the event 'purchase' at least 2 times."
        )
        let deep = (1...12).reduce(Condition.tag("x")) { condition, _ in .not(condition) }
        #expect(words(deep).utf8.count < 300)
        #expect(words(.tag(String(repeating: "long ", count: 2_000))).utf8.count < 200)
    }

    @Test("CON-11: a schedule is said by the clocks of the app's zone, and a field has the same time")
    func schedules() throws {
        let zone = AppZone(named: "Europe/Paris")
        let date = try #require(Timestamp.date("2026-12-01T17:00:00Z"))
        #expect(CampaignSchedule.sentences(nil, zone: zone) == ["It is sent as soon as it is launched."])
        let quiet = QuietHours(from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("08:00")))
        #expect(
            CampaignSchedule.sentences(CampaignSchedule(at: date, quietHours: quiet), zone: zone) == [
                "It is sent at 1 Dec 2026, 18:00 (Europe/Paris).",
                "Between 22:00 and 08:00 by the person's clock it waits until they end.",
            ]
        )
        #expect(zone.field(date) == "2026-12-01T18:00" && zone.date("2026-12-01T18:00") == date)
        #expect(zone.date("2026-12-01") != nil && zone.date("soon") == nil && zone.date("2026-02-30T10:00") == nil)
        let local = CampaignSchedule(localAt: LocalDateTime("2026-12-01T09:00"))
        #expect(
            CampaignSchedule.sentences(local, zone: zone) == [
                "Each person gets it at 1 Dec 2026, 09:00 by their own clock."
            ]
        )
    }

    @Test("CON-7: the bars under the audience add up to it, whatever became of the devices", arguments: 1...50)
    func addsUp(_ seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        let outcomes = DeliveryState.allCases.flatMap { state in
            (0..<Int.random(in: 0...2, using: &dice)).map { index in
                DeliveryOutcome(
                    state: state, reason: state == .accepted ? nil : DeliveryReason(rawValue: "r\(index)"),
                    count: Int.random(in: 0...1_000_000, using: &dice)
                )
            }
        }
        let funnel = CampaignFunnel(Self.standing(outcomes))
        func number(_ bar: Bar) -> Int { WholeNumber.read(bar.count.filter { $0 != "," }) ?? -1 }
        let whole = outcomes.map(\.count).reduce(0, +)
        #expect(funnel.audience.bars.first.map(number) == whole)
        #expect(funnel.audience.bars.dropFirst().map(number).reduce(0, +) == whole)
        #expect(funnel.losses.count == outcomes.count { ![.pending, .accepted].contains($0.state) })
        #expect(funnel.losses.allSatisfy { !$0.sentence.isEmpty })
    }

    @Test("CON-7: progress is shown until all is over, and only then is it gone")
    func progress() {
        let open = CampaignFunnel(
            Self.standing(
                [
                    DeliveryOutcome(state: .pending, reason: nil, count: 3),
                    DeliveryOutcome(state: .accepted, reason: nil, count: 1),
                ],
                .sending)
        )
        #expect(open.percent == "25" && open.summary == "4 devices are in the audience. 3 of them are still waiting.")
        let over = CampaignFunnel(Self.standing([DeliveryOutcome(state: .accepted, reason: nil, count: 1)], .completed))
        #expect(over.percent == nil && over.summary == "1 device is in the audience.")
    }

    @Test("CON-7: no cell of the export is run by a spreadsheet, and a quote ends none")
    func cells() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\u{feff}=1", "\u{ff1d}1", "|cmd", "%x"] {
            #expect(CountsFile.cell(text) == "\"'\(text)\"", "\(text.debugDescription)")
        }
        #expect(CountsFile.cell("a \"b\", c") == "\"a \"\"b\"\", c\"" && CountsFile.cell("") == "\"\"")
        let outcome = DeliveryOutcome(state: .rejected, reason: DeliveryReason(rawValue: "=HYPERLINK(\"x\")"), count: 2)
        let file = String(decoding: CountsFile.bytes(Self.standing([outcome])), as: UTF8.self)
        #expect(file.contains("\"'=HYPERLINK(\"\"x\"\")\",\"2\"") && file.hasSuffix("\r\n"))
    }

    @Test("CON-7, SEC-7: hostile texts stand in a campaign's page as texts", arguments: HostileText.marks)
    func hostile(_ mark: String) throws {
        let text = mark + "\"><script>\u{301}'"
        let draft = CampaignDraft(
            name: text, kind: .push, audience: .any([.tag(text), .attribute(text, .contains(text))]),
            push: PushContent(
                title: text, subtitle: text, body: text, imageUrl: "https://\(text)",
                action: NotificationAction(type: .openUrl, url: text),
                buttons: [NotificationButton(id: "a", text: text)]
            )
        )
        let outcomes = [DeliveryOutcome(state: .rejected, reason: DeliveryReason(rawValue: text), count: 1)]
        let view = CampaignView(
            standing: Self.standing(outcomes, draft: draft), sample: draft.push, version: "v", hasCredentials: true,
            appName: text, zone: AppZone(named: "UTC"), now: Date(timeIntervalSince1970: 2),
            base: "/console/apps/shop/campaigns", rights: Set(UserRight.allCases), formToken: "t", problem: text,
            tests: [TestLine(testedDevice: text, testSentence: text)], testDevice: text
        )
        let html = try PageTemplates(PageSources.all).render("campaign", CampaignModel(view))
        #expect(!html.utf8.contains("<script".utf8) && html.utf8.contains("&lt;script&gt;".utf8))
        let basis = ComposeBasis(schema: [text: .string], zone: AppZone(named: "UTC"))
        let form = ComposeModel(
            ComposeForm(draft, basis), FormProblems("title", text), basis,
            place: ComposePlace(base: "/x", campaign: CampaignID(1), version: "v", formToken: "t")
        )
        #expect(try !PageTemplates(PageSources.all).render("compose", form).utf8.contains("<script".utf8))
    }

    @Test("CON-7: each step needs its right and is offered when it means something", arguments: CampaignStatus.allCases)
    func steps(_ status: CampaignStatus) {
        var campaign = Self.standing([], status).campaign
        let possible = CampaignStep.allCases.filter { $0.isPossible(campaign) }
        let expected: [CampaignStep] =
            switch status {
            case .draft: [.launch, .delete]
            case .scheduled, .sending, .active: [.pause, .cancel]
            case .paused: [.resume, .cancel]
            case .completed, .cancelled: []
            }
        #expect(possible == expected)
        campaign.draft.kind = .messageCenter
        #expect(CampaignStep.recall.isPossible(campaign))
        campaign.recalledAt = campaign.createdAt
        #expect(!CampaignStep.recall.isPossible(campaign))
    }

    @Test("CON-7: a launch is called and asked about as what it does: a time that is past waits for nobody")
    func launchTimes() throws {
        let zone = AppZone(named: "Europe/Paris")
        let at = CampaignSchedule(at: Timestamp.date("2026-12-01T17:00:00Z"))
        let local = CampaignSchedule(localAt: LocalDateTime("2026-12-01T09:00"))
        func launch(_ schedule: CampaignSchedule?, _ moment: String) throws -> (button: StepButton, remark: String?) {
            let time = LaunchTime(schedule, now: try #require(Timestamp.date(moment)))
            return (StepButton(.launch, base: "/x", version: "v", time: time, zone: zone), time.remark(zone: zone))
        }
        let now = try launch(nil, "2026-12-01T12:00:00Z")
        #expect(now.button.stepTitle == "Launch now" && now.remark == nil)
        #expect(now.button.question == "Send this campaign to its whole audience now?")
        for (schedule, moment) in [(at, "2026-12-01T16:59:59Z"), (local, "2026-11-30T18:59:59Z")] {
            let ahead = try launch(schedule, moment)
            #expect(ahead.button.stepTitle == "Schedule" && ahead.remark == nil, "\(moment)")
            #expect(ahead.button.question == "Schedule this campaign for its whole audience?", "\(moment)")
        }
        let past = try launch(at, "2026-12-01T20:00:00Z")
        #expect(past.button.stepTitle == "Launch now")
        let clock = "1 Dec 2026, 18:00 (Europe/Paris)"
        #expect(
            past.button.question
                == "The time of this campaign, \(clock), is past. Send it to its whole audience now?"
        )
        #expect(past.remark == "Its time, \(clock), is past: launched now, it is sent at once.")
        let begun = try launch(local, "2026-12-01T20:00:00Z")
        #expect(begun.button.stepTitle == "Launch now")
        #expect(begun.button.question?.contains("In some time zones 1 Dec 2026, 09:00 is past") == true)
        #expect(begun.remark?.contains("is past in some time zones") == true)
        for (schedule, moment, reason) in [
            (at, "2026-12-02T17:00:01Z", "more than a day ago"), (local, "2026-12-01T21:00:01Z", "in every time zone"),
        ] {
            let rejected = try launch(schedule, moment)
            #expect(rejected.button.question == nil && rejected.remark?.contains(reason) == true, "\(moment)")
        }
    }

    @Test("CON-7, CAMP-5: a resume before the launch is called and asked about as what it does")
    func resumeTimes() throws {
        let zone = AppZone(named: "Europe/Paris")
        let at = CampaignSchedule(at: Timestamp.date("2026-12-01T17:00:00Z"))
        let local = CampaignSchedule(localAt: LocalDateTime("2026-12-01T09:00"))
        func resume(_ schedule: CampaignSchedule, _ moment: String) throws -> (button: StepButton, remark: String) {
            let time = LaunchTime(schedule, now: try #require(Timestamp.date(moment)))
            let button = StepButton(.resume, base: "/x", version: "v", time: time, zone: zone)
            return (button, time.resumeRemark(zone: zone))
        }
        let ahead = try resume(at, "2026-12-01T16:59:59Z")
        #expect(
            ahead.button.stepTitle == "Resume" && ahead.button.question == nil && ahead.button.launchTime == "ahead")
        #expect(ahead.remark == "Resumed now, it begins at 1 Dec 2026, 18:00 (Europe/Paris).")
        let past = try resume(at, "2026-12-01T20:00:00Z")
        #expect(past.button.stepTitle == "Resume and send now" && past.button.launchTime == "past")
        let clock = "1 Dec 2026, 18:00 (Europe/Paris)"
        #expect(
            past.button.question
                == "The time of this campaign, \(clock), is past. Resume it, and send it to its whole audience now?"
        )
        #expect(past.remark == "Its time, \(clock), is past: resumed now, it is sent to its whole audience at once.")
        let begun = try resume(local, "2026-12-01T20:00:00Z")
        #expect(begun.button.stepTitle == "Resume and send now" && begun.button.launchTime == "begun")
        #expect(begun.button.question?.contains("In some time zones 1 Dec 2026, 09:00 is past") == true)
        #expect(begun.remark.contains("people there get it at once, everybody else when their own clock shows"))
        let rejected = try resume(at, "2026-12-02T17:00:01Z")
        #expect(rejected.button.stepTitle == "Resume" && rejected.button.question == nil)
        #expect(rejected.remark.contains("more than a day ago. It can no longer be resumed: cancel it"))
        #expect(rejected.remark.hasSuffix("or launch a copy of it with another time."))
        let expiring = CampaignSchedule(at: at.at, expiresAt: Timestamp.date("2026-12-01T19:00:00Z"))
        let expired = try resume(expiring, "2026-12-01T20:00:00Z").remark
        #expect(expired.hasPrefix("The campaign's expiry has passed. It can no longer be resumed"))
        #expect(expired.hasSuffix("or launch a copy of it with another expiry."))
        let sending = StepButton(.resume, base: "/x", version: "v", time: nil, zone: zone)
        #expect(sending.stepTitle == "Resume" && sending.question == nil && sending.launchTime == nil)
    }

    static func standing(
        _ outcomes: [DeliveryOutcome], _ status: CampaignStatus = .sending, draft: CampaignDraft? = nil
    ) -> CampaignStanding {
        let campaign = Campaign(
            // The number is in range.
            id: CampaignID(7)!, app: .shop,
            draft: draft ?? CampaignDraft(name: "Sale", kind: .push, audience: .everyone),
            status: status, createdAt: Date(timeIntervalSince1970: 0), launchedAt: Date(timeIntervalSince1970: 1)
        )
        return CampaignStanding(
            report: CampaignReport(
                campaign: campaign, counts: CampaignCounts(outcomes), messageCenter: nil, inApp: nil),
            outcomes: outcomes, isPlanned: true
        )
    }
}

extension AppCode {
    // A constant code of lower-case letters is one.
    static let shop = try! AppCode("shop")
}
