import BelfryModel
import Foundation

/// The combined reports of events about one message on one device, for one person. It has the same effect as the single
/// events in their order.
package struct InAppCount: Sendable {
    /// The longest time on screen, in seconds, that counts for one display: one day. A clock that was changed reports
    /// more.
    private static let maximumScreenTime: TimeInterval = 86_400

    let place: InAppDeviceStateKey
    /// The campaign's present ``Campaign/displayEpoch``, which is the version that began it: displays of an older
    /// version do not belong to it.
    private let presentEpoch: Int
    /// The version for a new row: that of the first event, if that is a display.
    private var version: Int?
    private var shown: Int64 = 0
    private var displays: Int64 = 0
    private var displayedAt: Date?
    private var clicks: Int64 = 0
    private var clickedAt: Date?
    private var dismissals: Int64 = 0
    private var dismissedAt: Date?
    /// The time on screen, in milliseconds.
    private var screenTime: Int64 = 0
    private var notShown: NotShown?
    private(set) var buttons = WordCount()
    private(set) var reasons = WordCount()

    private struct NotShown: Sendable {
        let reason: String
        let sentence: String?
        let at: Date
    }

    package init(at place: InAppDeviceStateKey, epoch: Int) {
        self.place = place
        presentEpoch = epoch
    }

    /// Counts one more event; for each kind the first moment stays, and of the reasons the last.
    ///
    /// - Parameter version: the message's version according to the event; nil if the event has none (v3).
    package mutating func add(_ engagement: InAppEngagement, version: Int?, at moment: Date) {
        self.version = self.version ?? (engagement == .display ? version ?? 1 : 1)
        switch engagement {
        case .display:
            displays += 1
            displayedAt = displayedAt ?? moment
            if version.map({ $0 >= presentEpoch }) ?? true { shown += 1 }
        case .click(let button):
            clicks += 1
            clickedAt = clickedAt ?? moment
            if let button { buttons.add(button) }
        case .dismissal(let seconds):
            dismissals += 1
            dismissedAt = dismissedAt ?? moment
            let time = min(max(seconds ?? 0, 0), Self.maximumScreenTime)
            if time > 0 { screenTime += Int64((time * 1_000).rounded()) }
        case .notShown(let reason, let sentence):
            // The row has milliseconds: of two reasons in the same millisecond, the last stays. A row without one has
            // 0.
            if moment.milliseconds >= notShown?.at.milliseconds ?? 0 {
                notShown = NotShown(reason: reason, sentence: sentence, at: moment)
            }
            reasons.add(reason)
        }
    }

    static let columns: SQLText = """
        campaign_id, device_id, contact_id, version, epoch, shown, displays, displayed_at, clicks, clicked_at,
        dismissals, dismissed_at, screen_time, not_shown_reason, not_shown_sentence, not_shown_at
        """

    /// The values of the columns. Only a display begins a new epoch.
    var row: [SQLValue] {
        place.values + [
            .integer(version ?? 1), .integer(displays > 0 ? presentEpoch : 0), .integer(shown), .integer(displays),
            .optional(displayedAt), .integer(clicks), .optional(clickedAt), .integer(dismissals),
            .optional(dismissedAt), .integer(screenTime), .optional(notShown?.reason), .optional(notShown?.sentence),
            .optional(notShown?.at),
        ]
    }
}

/// How often each word occurred, in the order of first occurrence.
struct WordCount: Sendable {
    private(set) var words: [(word: String, times: Int64)] = []
    private var places: [Word: Int] = [:]

    /// A word is compared by its bytes, as engines do: two words may look alike and still differ.
    struct Word: Hashable, Sendable {
        let bytes: [UInt8]

        init(_ text: String) {
            bytes = Array(text.utf8)
        }
    }

    mutating func add(_ word: String, times: Int64 = 1) {
        if let place = places[Word(word)] {
            words[place].times += times
        } else {
            places[Word(word)] = words.count
            words.append((word, times))
        }
    }
}
