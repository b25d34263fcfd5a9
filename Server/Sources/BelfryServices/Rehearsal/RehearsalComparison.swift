import BelfryModel
import BelfryServerModel
import Foundation

/// Compares a rehearsal of a campaign with what really happened (CON-13).
package struct RehearsalComparison: Hashable, Sendable, Codable {
    /// Why the ledger differs from the rehearsal.
    package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
        /// The campaign is still sending to these devices.
        case notYet
        /// The devices left the audience, or were deleted, before the launch.
        case leftAudience
        /// They joined the audience after the rehearsal.
        case joinedAudience
        /// The push service rejected the push or did not respond, for example because the token had become invalid.
        case pushService
        case optedOut
        case optedIn
        /// The device's token was added, changed or removed.
        case token
        /// The campaign was launched at another time than rehearsed, or was paused.
        case otherTime
        /// They got other messages, or fewer, than expected.
        case otherMessages
        /// The devices' attributes or contacts changed.
        case otherValues
        /// The app's credentials were set or removed.
        case credentials
        /// The draft was changed after the rehearsal.
        case otherDraft
        case cancelled
        case recalled
        /// No possible reason is known.
        case unexplained
    }

    /// Devices whose outcome differs from the rehearsal in the same way, for the same cause.
    package struct Difference: Hashable, Sendable, Codable {
        /// The rehearsed outcome; nil if the devices were not rehearsed.
        package let rehearsed: RehearsedOutcome?
        /// The real outcome; nil if the devices were not in the ledger.
        package let came: RehearsedOutcome?
        package let cause: Cause
        package internal(set) var count: Int
        /// The ids of some of the devices.
        package internal(set) var devices: [String]
    }

    /// The rehearsed and the real number of one outcome.
    package struct Line: Hashable, Sendable, Codable {
        package let outcome: RehearsedOutcome
        package let rehearsed: Int
        package let came: Int
    }

    /// The number of devices with the rehearsed outcome.
    package internal(set) var equal = 0
    /// The differences, largest first.
    package internal(set) var differences: [Difference] = []
    package internal(set) var lines: [Line] = []
    /// Whether nothing in the comparison can change any more.
    package internal(set) var isFinal = false
    /// When the comparison was made; nil for one of an older version of the server.
    package internal(set) var madeAt: Date?
    /// Seconds for which the comparison is returned again although it may change.
    var rest: TimeInterval?

    /// - Parameter isFinal: whether a new comparison could no longer change.
    func mayBeGivenAgain(at now: Date, final isFinal: Bool) -> Bool {
        guard !isFinal, let madeAt, let rest else { return false }
        return (0..<rest).contains(now.timeIntervalSince(madeAt))
    }

    /// Removes the names of some devices; they still count.
    mutating func forget(_ devices: Set<String>) {
        for place in differences.indices { differences[place].devices.removeAll(where: devices.contains) }
    }

    package var different: Int { differences.map(\.count).reduce(0, +) }
    package var unexplained: Int {
        differences.filter { $0.cause == .unexplained }.map(\.count).reduce(0, +)
    }
}

/// The data about a device whose outcome differs from the rehearsal.
struct ComparedDevice: Hashable, Sendable {
    let rehearsed: RehearsedOutcome?
    let came: RehearsedOutcome?
    /// The device's present consent; nil if the device no longer exists.
    let consent: DeviceConsent?
    let tokenAt: Date?
}

/// Finds the cause for which a device's outcome differs.
struct ComparisonRule: Sendable {
    /// Seconds by which a launch may differ from the rehearsed one.
    static let tolerance: TimeInterval = 1

    /// When the data of the rehearsal was read.
    let rehearsedAt: Date
    /// Whether the campaign was launched at the rehearsed time and sent without a pause.
    let isSameTime: Bool
    let isSameDraft: Bool

    /// Whether a device has the rehearsed outcome. The ledger does not say whether an in-app message was triggered, so
    /// that is ignored.
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

    /// Whether the reason is one for which the server itself could not build the push.
    private static func areOfContent(_ reason: DeliveryReason?) -> Bool {
        reason.map(ofContent.contains) ?? false
    }
}

/// Sums the differences, in memory that does not grow with the audience.
struct ComparisonTally: Sendable {
    /// The most differences that are counted separately.
    static let maximumDifferences = 500
    /// The most devices that are named for each difference.
    static let namedDevices = 5

    private struct Key: Hashable {
        let rehearsed: RehearsedOutcome?
        let came: RehearsedOutcome?
        let cause: RehearsalComparison.Cause
    }

    private(set) var equal = 0
    private var differences: [Key: RehearsalComparison.Difference] = [:]

    mutating func addEqual() { equal += 1 }

    /// - Returns: whether the device was added to the named ones.
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

    /// The differences, largest first.
    var sorted: [RehearsalComparison.Difference] {
        differences.values.sorted { one, other in
            (other.count, one.place) < (one.count, other.place)
        }
    }
}

extension RehearsalComparison.Difference {
    /// The sort key among differences with the same number of devices.
    fileprivate var place: String {
        [
            cause.rawValue, came?.reason?.rawValue, came?.state.rawValue, rehearsed?.reason?.rawValue,
            rehearsed?.state.rawValue,
        ].map { $0 ?? "" }.joined(separator: " ")
    }
}

/// The change of one outcome's devices from one rehearsal of a campaign to the next.
package struct RehearsalChange: Hashable, Sendable {
    package let outcome: RehearsedOutcome
    package let before: Int
    package let now: Int

    /// The outcomes that changed, the largest change first.
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
