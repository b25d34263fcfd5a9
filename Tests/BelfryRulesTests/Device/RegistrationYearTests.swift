import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

/// A year of a device's registrations, by seed: edits, restarts, outages, background wakes, lost responses.
struct RegistrationYearTests {
    private static let year: TimeInterval = 365 * 86_400

    @Test(
        "REG-4, REG-6: in any year no two attempts within a minute, and every change reaches the server in the end",
        arguments: Endurance.seeds(24, brief: 6)
    )
    func anyYear(seed: UInt64) throws {
        var life = RegistrationLife(seed: seed)
        try life.live(for: Self.year)
        for (earlier, later) in zip(life.attempts, life.attempts.dropFirst()) {
            #expect(later.timeIntervalSince(earlier) >= 60, "seed \(seed)")
        }
        try life.recover()
        #expect(life.serverHas == life.record, "seed \(seed)")
        #expect(life.schedule.accepted == life.digest, "seed \(seed)")
        #expect(life.attempts.count > 365, "seed \(seed)")
    }

    @Test(
        "REG-4: with a healthy server every edit is sent within a minute",
        arguments: Endurance.seeds(13, brief: 3).map { 99 + $0 })
    func healthyYear(seed: UInt64) throws {
        var life = RegistrationLife(seed: seed)
        life.hasOutages = false
        try life.live(for: Self.year)
        #expect(life.slowest <= 60.001, "seed \(seed): \(life.slowest)")
        #expect(life.edits > 1_000, "seed \(seed)")
    }

    @Test(
        "REG-6: in a year of outage the delays grow to a day, and edits cause no storm",
        arguments: Endurance.seeds(7, brief: 2).map { 199 + $0 })
    func yearOfOutage(seed: UInt64) throws {
        var life = RegistrationLife(seed: seed)
        life.isOut = true
        life.hasOutages = false
        life.hasWakes = false
        try life.live(for: Self.year)
        // Eleven doublings reach a day; then it is daily.
        #expect((365...385).contains(life.attempts.count), "seed \(seed): \(life.attempts.count)")
        let delays = zip(life.attempts, life.attempts.dropFirst()).map { $1.timeIntervalSince($0) }
        #expect(delays.suffix(300).allSatisfy { $0 >= 86_399 }, "seed \(seed)")
        #expect(delays.allSatisfy { $0 <= 86_401 }, "seed \(seed)")
    }
}

/// A device and its server, driven from event to event without real waiting.
struct RegistrationLife {
    private(set) var schedule = RegistrationSchedule()
    private(set) var record = 0
    private(set) var serverHas: Int?
    private(set) var attempts: [Date] = []
    private(set) var edits = 0
    /// The longest time from the first unsent edit to the attempt that carried it, while the app ran shown.
    private(set) var slowest: TimeInterval = 0
    var isOut = false
    var hasOutages = true
    var hasWakes = true

    private var now = deviceEpoch
    private var appState = AppState.foreground
    private var firstUnsentEdit: Date?
    private var serverRevision: Int64 = 0
    private var dice: DeviceDice
    private let policy = RegistrationSchedule.Policy()

    init(seed: UInt64) {
        dice = DeviceDice(seed: seed)
        schedule.noticed(digest, now: now)
    }

    var digest: StableDigest {
        var contact = ContactRecord()
        contact.system.appVersion = String(record)
        return StableDigest(record: contact)
    }

    mutating func live(for duration: TimeInterval) throws {
        let end = now.addingTimeInterval(duration)
        while now < end {
            let next = now.addingTimeInterval(dice.pause(mean: 3_000))
            run(until: min(next, end))
            try happen()
        }
    }

    /// The server is well and the app is shown, for long enough.
    mutating func recover() throws {
        isOut = false
        hasOutages = false
        appState = .foreground
        schedule = try restarted(schedule)
        run(until: now.addingTimeInterval(3 * 86_400))
    }

    private mutating func happen() throws {
        switch dice.unit() {
        case ..<0.55:
            edit()
        case ..<0.75:
            schedule = try restarted(schedule)
            schedule.noticed(digest, now: now)
        case ..<0.85:
            // Wakes of the background come and go; a change waits for the next time that the app is shown.
            guard hasWakes else { return }
            appState = appState == .foreground ? .backgroundWake : .foreground
            if firstUnsentEdit != nil { firstUnsentEdit = now }
        case ..<0.95:
            for _ in 0..<5 { edit() }
        default:
            if hasOutages { isOut.toggle() }
        }
    }

    private mutating func edit() {
        edits += 1
        record = dice.isLikely(0.1) ? max(0, record - 1) : record + 1
        schedule.noticed(digest, now: now)
        if schedule.accepted != digest { firstUnsentEdit = firstUnsentEdit ?? now } else { firstUnsentEdit = nil }
    }

    private mutating func run(until end: Date) {
        while true {
            let decision = schedule.decide(digest, now: now, appState: appState, isHurried: false, policy: policy)
            switch decision {
            case .send:
                attempt()
            case .wait(let until, _) where until <= end:
                now = until
            case .wait, .idle:
                now = end
                return
            }
        }
    }

    private mutating func attempt() {
        attempts.append(now)
        if let firstUnsentEdit { slowest = max(slowest, now.timeIntervalSince(firstUnsentEdit)) }
        firstUnsentEdit = nil
        let sent = digest
        let revision = schedule.attempted(at: now)
        if isOut {
            // Some of the lost requests did arrive.
            if dice.isLikely(0.1) { store(revision) }
            let outcome =
                dice.isLikely(0.5)
                ? CallOutcome.response(status: 503, at: now) : CallOutcome.noResponse("lost", at: now)
            schedule.failed(outcome, for: sent, now: now, random: dice.unit(), policy: policy)
        } else {
            store(revision)
            schedule.succeeded(sent, sent: revision, serverRevision: serverRevision, current: digest)
        }
    }

    private mutating func store(_ revision: Int64) {
        serverHas = record
        serverRevision = revision
    }
}
