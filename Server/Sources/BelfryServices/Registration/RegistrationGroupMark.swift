import BelfryStore
import Foundation
import Synchronization

/// The registrations that this process may be applying in groups, as the database knows it. They are stored before a
/// group begins, so that it is known what was in progress when the process has died (SEC-8).
///
/// One mark names the numbers of many groups, including future ones, so it costs only a small write now and then.
final class RegistrationGroupMark: Sendable {
    /// The numbers that one mark names: the most registrations that are processed alone after a death.
    static let span: Int64 = 1_000
    /// How long a mark is valid, in seconds. After that it is written again.
    static let lease: TimeInterval = 15
    static let renewal: TimeInterval = 5

    private struct Mark {
        let ids: ClosedRange<Int64>
        let writtenAt: Date
    }

    private let mark = Mutex<Mark?>(nil)

    /// Whether a mark is stored.
    var isSet: Bool { mark.withLock { $0 != nil } }

    /// Whether the stored mark already names a group.
    func covers(_ ids: ClosedRange<Int64>, at now: Date) -> Bool {
        mark.withLock { mark in
            guard let mark else { return false }
            // A clock that was set back does not delay the renewal.
            return mark.ids.contains(ids.lowerBound) && mark.ids.contains(ids.upperBound)
                && abs(now.timeIntervalSince(mark.writtenAt)) < Self.renewal
        }
    }

    /// The numbers that a mark for this group names.
    static func ids(for group: ClosedRange<Int64>) -> ClosedRange<Int64> {
        group.lowerBound...max(group.upperBound, group.lowerBound + span - 1)
    }

    /// Notes that the mark was written.
    func set(_ ids: ClosedRange<Int64>, at now: Date) {
        mark.withLock { $0 = Mark(ids: ids, writtenAt: now) }
    }

    /// Notes that the mark was removed.
    func clear() {
        mark.withLock { $0 = nil }
    }
}
