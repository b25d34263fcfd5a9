import BelfryModel
import BelfryServerModel
import Foundation

/// What was rehearsed of a campaign beside what came of it (CON-13).
package struct RehearsalComparison: Hashable, Sendable, Codable {
    /// Why the ledger says another thing than the rehearsal.
    package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
        /// The campaign is still under way for them.
        case notYet
        /// They left the audience, or were gone, before the launch.
        case leftAudience
        /// They joined the audience after the rehearsal.
        case joinedAudience
        /// The push service refused what was sent, or did not answer: the token had died, say.
        case pushService
        case optedOut
        case optedIn
        /// A token came, changed or went.
        case token
        /// The campaign was launched at another moment than was rehearsed, or paused.
        case otherTime
        /// They got other messages, or fewer, than expected.
        case otherMessages
        /// Their attributes, or who they are, changed.
        case otherValues
        /// The app's credentials were set or removed.
        case credentials
        /// The draft was changed after the rehearsal.
        case otherDraft
        case cancelled
        case recalled
        /// Nothing is known that could be the reason.
        case unexplained
    }

    /// Devices whose end was another one, for the same cause.
    package struct Difference: Hashable, Sendable, Codable {
        /// Nil: they were not rehearsed.
        package let rehearsed: RehearsedOutcome?
        /// Nil: they were not in the ledger.
        package let came: RehearsedOutcome?
        package let cause: Cause
        package internal(set) var count: Int
        /// Ids of some of them.
        package internal(set) var devices: [String]
    }

    /// One outcome beside the other.
    package struct Line: Hashable, Sendable, Codable {
        package let outcome: RehearsedOutcome
        package let rehearsed: Int
        package let came: Int
    }

    /// Devices that ended as was rehearsed.
    package internal(set) var equal = 0
    /// The largest first.
    package internal(set) var differences: [Difference] = []
    package internal(set) var lines: [Line] = []
    /// Whether nothing of it changes any more.
    package internal(set) var isFinal = false
    /// When it was made; nil for one of an older program.
    package internal(set) var madeAt: Date?
    /// Seconds for which it is given again though it may change.
    var rest: TimeInterval?

    /// - Parameter isFinal: whether a new one would not change any more.
    func mayBeGivenAgain(at now: Date, final isFinal: Bool) -> Bool {
        guard !isFinal, let madeAt, let rest else { return false }
        return (0..<rest).contains(now.timeIntervalSince(madeAt))
    }

    /// Names some devices no more; they still count.
    mutating func forget(_ devices: Set<String>) {
        for place in differences.indices { differences[place].devices.removeAll(where: devices.contains) }
    }

    package var different: Int { differences.map(\.count).reduce(0, +) }
    package var unexplained: Int {
        differences.filter { $0.cause == .unexplained }.map(\.count).reduce(0, +)
    }
}

/// What is known of a device whose end was another one than was rehearsed.
struct ComparedDevice: Hashable, Sendable {
    let rehearsed: RehearsedOutcome?
    let came: RehearsedOutcome?
    /// As the device is now; nil for one that is gone.
    let consent: DeviceConsent?
    let tokenAt: Date?
}

/// Finds why a device ended otherwise.
struct ComparisonRule: Sendable {
    /// Seconds by which a launch may differ from the rehearsed one.
    static let tolerance: TimeInterval = 1

    /// When the data of the rehearsal were read.
    let rehearsedAt: Date
    /// Whether the campaign was launched as it was rehearsed, and went on without a pause.
    let isSameTime: Bool
    let isSameDraft: Bool

    /// Whether a device ended as was rehearsed. Whether an in-app message is triggered, the ledger does not say.
    static func isEqual(_ rehearsed: RehearsedOutcome?, _ came: RehearsedOutcome?) -> Bool {
        guard let rehearsed, let came else { return false }
        let isOfTrigger = rehearsed.reason == .notTriggered || rehearsed.reason == .noContact
        if isOfTrigger, rehearsed.state == came.state, came.reason == nil { return true }
        return rehearsed == came
    }

    func cause(of device: ComparedDevice) -> RehearsalComparison.Cause {
        guard let came = device.came else { return isSameDraft ? .leftAudience : .otherDraft }
        guard let rehearsed = device.rehearsed else { return isSameDraft ? .joinedAudience : .otherDraft }
        switch came.state {
        case .pending: return .notYet
        case .cancelled: return .cancelled
        case .rejected where rehearsed.state == .accepted && !Self.areOfContent(came.reason): return .pushService
        case .accepted, .suppressed, .rejected: break
        }
        if came.reason == .recalled || came.reason == .erased { return .recalled }
        let reasons = Set([rehearsed.reason, came.reason].compactMap(\.self))
        return known(device, reasons) ?? (isSameDraft ? .unexplained : .otherDraft)
    }

    private static let ofTokens: Set<DeliveryReason> = [.noToken, .duplicateToken, .malformedToken]
    private static let ofTime: Set<DeliveryReason> = [.quietHours, .expired]
    private static let ofValues: Set<DeliveryReason> = [.noContact, .renderError, .payloadTooLarge]
    private static let ofContent: Set<DeliveryReason> = [.payloadTooLarge, .malformedToken, .contentNotEncodable]

    private func known(_ device: ComparedDevice, _ reasons: Set<DeliveryReason>) -> RehearsalComparison.Cause? {
        if let changed = consent(of: device) { return changed }
        let isOtherToken = device.tokenAt.map { $0 >= rehearsedAt } ?? (device.came?.reason == .noToken)
        if isOtherToken, !reasons.isDisjoint(with: Self.ofTokens) { return .token }
        if reasons.contains(.noCredentials) { return .credentials }
        if reasons.contains(.frequencyCap) || reasons.contains(.silentBudget) { return .otherMessages }
        if !isSameTime, !reasons.isDisjoint(with: Self.ofTime) { return .otherTime }
        if !reasons.isDisjoint(with: Self.ofValues) { return .otherValues }
        return nil
    }

    private func consent(of device: ComparedDevice) -> RehearsalComparison.Cause? {
        let wasOptedOut = Self.isOptOut(device.rehearsed?.reason)
        let isOptedOut = Self.isOptOut(device.came?.reason)
        guard wasOptedOut || isOptedOut else { return nil }
        if isOptedOut { return device.consent?.optOut.map { $0.at >= rehearsedAt } ?? true ? .optedOut : nil }
        return device.consent?.suppression == device.rehearsed?.reason ? nil : .optedIn
    }

    private static func isOptOut(_ reason: DeliveryReason?) -> Bool {
        reason?.rawValue.utf8.starts(with: "optedOut:".utf8) ?? false
    }

    /// Whether the server itself found that a push cannot be made.
    private static func areOfContent(_ reason: DeliveryReason?) -> Bool {
        reason.map(ofContent.contains) ?? false
    }
}

/// Adds the differences up, in memory that does not grow with the audience.
struct ComparisonTally: Sendable {
    /// Differences that are told apart.
    static let maximumDifferences = 500
    /// Devices that are named of each.
    static let namedDevices = 5

    private struct Key: Hashable {
        let rehearsed: RehearsedOutcome?
        let came: RehearsedOutcome?
        let cause: RehearsalComparison.Cause
    }

    private(set) var equal = 0
    private var differences: [Key: RehearsalComparison.Difference] = [:]

    mutating func addEqual() { equal += 1 }

    /// - Returns: whether the device is named.
    mutating func add(
        _ device: ComparedDevice, named name: String?, because cause: RehearsalComparison.Cause
    ) -> Bool {
        var key = Key(rehearsed: device.rehearsed, came: device.came, cause: cause)
        if differences[key] == nil, differences.count >= Self.maximumDifferences {
            key = Key(rehearsed: nil, came: nil, cause: cause)
        }
        var difference =
            differences[key]
            ?? RehearsalComparison.Difference(
                rehearsed: key.rehearsed, came: key.came, cause: cause, count: 0, devices: []
            )
        difference.count += 1
        defer { differences[key] = difference }
        guard let name, difference.devices.count < Self.namedDevices else { return false }
        difference.devices.append(name)
        return true
    }

    /// The largest first.
    var sorted: [RehearsalComparison.Difference] {
        differences.values.sorted { one, other in
            (other.count, one.place) < (one.count, other.place)
        }
    }
}

extension RehearsalComparison.Difference {
    /// Its place among those of as many devices.
    fileprivate var place: String {
        [
            cause.rawValue, came?.reason?.rawValue, came?.state.rawValue, rehearsed?.reason?.rawValue,
            rehearsed?.state.rawValue,
        ].map { $0 ?? "" }.joined(separator: " ")
    }
}

/// What changed from one rehearsal of a campaign to the next: the devices of one outcome.
package struct RehearsalChange: Hashable, Sendable {
    package let outcome: RehearsedOutcome
    package let before: Int
    package let now: Int

    /// Those that changed, the largest change first.
    package static func all(from former: RehearsalFigures, to figures: RehearsalFigures) -> [RehearsalChange] {
        func counts(_ figures: RehearsalFigures) -> [RehearsedOutcome: Int] {
            Dictionary(figures.outcomes.map { ($0.outcome, $0.count) }, uniquingKeysWith: +)
        }
        let (before, now) = (counts(former), counts(figures))
        return Set(before.keys).union(now.keys).map { outcome in
            RehearsalChange(outcome: outcome, before: before[outcome] ?? 0, now: now[outcome] ?? 0)
        }.filter { $0.before != $0.now }.sorted { one, other in
            (abs(other.now - other.before), one.outcome.state.rawValue, one.outcome.reason?.rawValue ?? "")
                < (abs(one.now - one.before), other.outcome.state.rawValue, other.outcome.reason?.rawValue ?? "")
        }
    }
}
