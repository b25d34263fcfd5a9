import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

/// The values that a rehearsal is made of.
struct RehearsalPartsTests {
    private static let start = Date(timeIntervalSince1970: 1_795_262_400)

    @Test(
        "CON-12: a rate lets messages leave at the moments at which the real one does",
        arguments: [1, 3, 7, 250, 5_000])
    func rate(perSecond: Int) {
        var rehearsed = RehearsedRate(perSecond: perSecond, start: Self.start)
        var real = RateAllowance(perSecond: perSecond, nextUnit: nil)
        var date = Self.start
        for _ in 0..<200 {
            date = real.nextDate(after: date)
            #expect(rehearsed.free(from: Self.start) == date)
            let count = real.take(upTo: .max, at: date)
            for _ in 0..<count { rehearsed.take(rehearsed.free(from: Self.start)) }
        }
        #expect(rehearsed.taken.count == 1)
    }

    @Test("CON-12: moments of a rate are taken once, whatever the order, and few runs of them are kept")
    func waves() {
        var dice = SeededGenerator(seed: 7)
        var rate = RehearsedRate(perSecond: 2, start: Self.start)
        var taken: Set<Date> = []
        for _ in 0..<2_000 {
            let wave = Self.start.addingTimeInterval(Double(Int.random(in: 0..<5, using: &dice)) * 3_600)
            let date = rate.free(from: wave)
            rate.take(date)
            #expect(date >= wave && taken.insert(date).inserted)
        }
        #expect(rate.taken.count <= 5)
        let perSecond = Dictionary(grouping: taken) { Int($0.timeIntervalSince1970) }
        #expect(perSecond.values.allSatisfy { $0.count <= 2 })
    }

    @Test("CON-12: a page of devices is packed into few bytes and reads back as it was")
    func packed() throws {
        var dice = SeededGenerator(seed: 3)
        var number: Int64 = 0
        let devices = (0..<1_000).map { _ in
            number += Int64.random(in: 1...3, using: &dice)
            return RehearsedDevice(
                device: number, outcome: Int.random(in: 0...6, using: &dice),
                after: Int.random(in: 0...100_000, using: &dice),
                traits: RehearsedTraits(
                    zone: Int.random(in: 0...120, using: &dice), platform: Int.random(in: 0...2, using: &dice),
                    locale: Int.random(in: 0...40, using: &dice),
                    marks: RehearsedMarks(rawValue: Int.random(in: 0...3, using: &dice))
                )
            )
        }
        let page = RehearsalPage(devices)
        #expect(page.packed.count < 10_000)
        #expect(try #require(RehearsalPage(packed: page.packed)) == page)
        // As an older program packed them.
        let older = RehearsalPage(
            devices.map { RehearsedDevice(device: $0.device, outcome: $0.outcome, after: $0.after) }
        )
        #expect(older.packed.count < 6_000 && RehearsalPage(packed: older.packed) == older)
        #expect(RehearsalPage(packed: Array(page.packed.prefix(40))) == nil)
        #expect(RehearsalPage(packed: [0x80]) == nil)
        #expect(RehearsalPage(packed: Array(repeating: 0xFF, count: 30)) == nil)
    }

    @Test("CON-12: where messages leave in more hours than are told apart, it says how many the figures by hour lack")
    func manyHours() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let app = world.app.id
        let found = try await world.database.read { connection in
            let device = try connection.audiences.devices(app: app)?.lowerBound ?? 0
            return try connection.recipients.find(device, app: app, values: [])
        }
        let recipient = try #require(found)
        var tally = RehearsalTally(launch: Self.start)
        func add(_ hours: some Sequence<Int>) {
            _ = tally.add(
                hours.map { hour in
                    RehearsedDelivery(
                        recipient: recipient, outcome: .accepted,
                        at: Self.start.addingTimeInterval(Double(hour) * 3_600), hasMessage: false
                    )
                }
            )
        }
        add(0..<RehearsalTally.maximumHours)
        #expect(tally.figures(warnings: ["Other."]).warnings == ["Other."])
        add([0, RehearsalTally.maximumHours, RehearsalTally.maximumHours + 1])
        let figures = tally.figures(warnings: [])
        let timed = figures.byHour.map(\.count).reduce(0, +)
        #expect(figures.reached == timed + 2 && figures.byHour.first?.count == 2)
        #expect(figures.warnings.count == 1 && figures.warnings.first?.contains("lack 2 messages") == true)
    }

    @Test("CON-13: each cause is told by what is known of the device")
    func causes() {
        let at = Self.start
        let rule = ComparisonRule(rehearsedAt: at, isSameTime: true, isSameDraft: true)
        func cause(
            _ rehearsed: RehearsedOutcome?, _ came: RehearsedOutcome?, optOut: Date? = nil, tokenAt: Date? = nil
        ) -> RehearsalComparison.Cause {
            let reason = optOut.map { OptOut(reason: .user, at: $0) }
            return rule.cause(
                of: ComparedDevice(
                    rehearsed: rehearsed, came: came,
                    consent: DeviceConsent(hasToken: true, pushEnabled: reason == nil, optOut: reason),
                    tokenAt: tokenAt
                )
            )
        }
        func suppressed(_ reason: DeliveryReason) -> RehearsedOutcome {
            RehearsedOutcome(state: .suppressed, reason: reason)
        }
        let (before, after) = (at.addingTimeInterval(-1), at.addingTimeInterval(1))
        let rejected = RehearsedOutcome(state: .rejected, reason: DeliveryReason(rawValue: "Unregistered"))
        #expect(cause(.accepted, rejected) == .pushService)
        #expect(cause(.accepted, suppressed(.optedOut(.user)), optOut: after) == .optedOut)
        // It was so before: the rehearsal should have known.
        #expect(cause(.accepted, suppressed(.optedOut(.user)), optOut: before) == .unexplained)
        #expect(cause(suppressed(.optedOut(.user)), .accepted) == .optedIn)
        #expect(cause(suppressed(.noToken), .accepted, tokenAt: after) == .token)
        #expect(cause(suppressed(.noToken), .accepted, tokenAt: before) == .unexplained)
        #expect(cause(suppressed(.frequencyCap), .accepted) == .otherMessages)
        #expect(cause(.accepted, suppressed(.quietHours)) == .unexplained)
        #expect(cause(.accepted, nil) == .leftAudience && cause(nil, .accepted) == .joinedAudience)
        #expect(cause(.accepted, RehearsedOutcome(state: .pending)) == .notYet)
        #expect(cause(.accepted, RehearsedOutcome(state: .cancelled, reason: .campaignCancelled)) == .cancelled)
        let late = ComparisonRule(rehearsedAt: at, isSameTime: false, isSameDraft: true)
        let quiet = ComparedDevice(rehearsed: .accepted, came: suppressed(.quietHours), consent: nil, tokenAt: nil)
        #expect(late.cause(of: quiet) == .otherTime)
    }

    @Test("CON-12: what changed from one rehearsal to the next is told by outcome, the largest first")
    func changes() {
        var (before, now) = (RehearsalFigures(), RehearsalFigures())
        let noToken = RehearsedOutcome(state: .suppressed, reason: .noToken)
        before.outcomes = [RehearsedCount(outcome: .accepted, count: 10), RehearsedCount(outcome: noToken, count: 3)]
        now.outcomes = [RehearsedCount(outcome: noToken, count: 4), RehearsedCount(outcome: .accepted, count: 4)]
        #expect(
            RehearsalChange.all(from: before, to: now) == [
                RehearsalChange(outcome: .accepted, before: 10, now: 4),
                RehearsalChange(outcome: noToken, before: 3, now: 4),
            ]
        )
        #expect(RehearsalChange.all(from: now, to: now).isEmpty)
    }
}
