import BelfryRules
import Foundation

@testable import Belfry

/// Holds what a device does against what it may and must do, moment after moment (REG-3, REG-4, REG-6, REG-7).
struct YearJudgement {
    /// The output of a test for a year that failed.
    private static let maximumFindings = 10

    private(set) var findings: [String] = []
    /// By what factor back-offs were longer than they had to be.
    private(set) var jitters: [Double] = []
    /// Hour → how often the device woke by itself.
    private(set) var wakes: [Int: Int] = [:]

    /// Since when an update is to be on its way.
    private var dueSince: Date?
    /// A clock that was set back is noticed at the next wake; nobody is late before that.
    private var graceEnds: TimeInterval = 0
    private var seen = 0
    /// Consecutive registrations, judged by their responses.
    private var failures = 0
    /// The process was never shown.
    private var isWake = true

    mutating func launched(isShown: Bool) {
        isWake = !isShown
    }

    mutating func died() {
        dueSince = nil
    }

    mutating func clockWasSet(at lived: TimeInterval) {
        dueSince = nil
        graceEnds = lived + 61
    }

    mutating func woke(at lived: TimeInterval) {
        wakes[Int(lived / 3_600), default: 0] += 1
    }

    /// Time is about to pass, and until then nothing more leaves.
    mutating func willPass(_ seconds: TimeInterval, from now: Date) {
        guard let dueSince else { return }
        let waited = now.addingTimeInterval(seconds).timeIntervalSince(dueSince)
        if waited > 60.1 { find("an update waits \(waited) s", at: now) }
    }

    /// - Parameter isFree: the app is shown, the network is there, the server is well.
    mutating func judge(_ state: DeviceState, wire: Wire, clock: ManualClock, isFree: Bool) {
        let now = clock.now
        let schedule = state.sync.registration
        let attempted = wire.count(World.registration)
        if attempted > seen {
            for attempt in wire.attempts(World.registration).suffix(attempted - seen) {
                take(attempt, schedule.gate.backoff, now: now)
            }
            seen = attempted
            dueSince = nil
        }
        if schedule.gate.backoff.failures != failures {
            find("\(schedule.gate.backoff.failures) failures are remembered, not \(failures)", at: now)
        }
        let digest = state.recordDigest
        let isOpen = schedule.gate.opening(for: digest, now: now) == .open
        let isLinked = state.sync.link.pending.isEmpty && state.sync.link.hasUsableToken
        let isDue = isFree && isOpen && isLinked && clock.lived >= graceEnds && schedule.accepted != digest
        dueSince = isDue ? dueSince ?? now : nil
    }

    /// An attempt was made, and answered or not.
    private mutating func take(_ attempt: Wire.Attempt, _ backoff: Backoff, now: Date) {
        if isWake { find("a background wake registered", at: now) }
        switch attempt.answer?.status {
        case 200, 201, 400: failures = 0
        case 401: break
        default:
            failures += 1
            takeDelay(backoff, after: attempt, now: now)
        }
    }

    /// Twice as long after each failure, from a minute to a day; up to a quarter more by chance; as the server wishes.
    private mutating func takeDelay(_ backoff: Backoff, after attempt: Wire.Attempt, now: Date) {
        let wish = attempt.answer?.header("Retry-After").flatMap { Double($0) } ?? 0
        let base = YearJudgement.base(failures)
        let delay = backoff.nextAttempt?.timeIntervalSince(now) ?? 0
        let longest = max(min(86_400, base * 1.25), wish)
        if delay < max(base, wish) - 0.01 || delay > longest + 0.01 {
            find("after failure \(failures) it waits \(delay) s, not \(max(base, wish)) to \(longest) s", at: now)
        }
        if wish == 0, base < 60_000 { jitters.append(delay / base) }
    }

    /// Seconds of the shortest wait after so many failures in a row.
    static func base(_ failures: Int) -> TimeInterval {
        min(86_400, 60 * pow(2, Double(failures - 1)))
    }

    private mutating func find(_ what: String, at now: Date) {
        guard findings.count < Self.maximumFindings else { return }
        findings.append("\(now): \(what)")
    }
}
