import BelfryModel
import Foundation

/// What devices tell of messages, counted: each event once, which is the caller's to see to.
extension InAppCopyRepository {
    /// Where an event belongs: to a message on a device, and to the person under whom it was tracked (ID-7).
    package struct Place: Hashable, Sendable {
        package let campaign: CampaignID
        package let device: Int64
        package let contact: Int64

        package init(campaign: CampaignID, device: Int64, contact: Int64) {
            self.campaign = campaign
            self.device = device
            self.contact = contact
        }

        fileprivate var key: [SQLValue] { [.integer(campaign.number), .integer(device), .integer(contact)] }
    }

    /// Counts one more; of the moments of a kind the first stays, of the reasons the last.
    ///
    /// - Parameters:
    ///   - version: of the message, as the event says it; nil when it does not (version 3).
    ///   - epoch: the campaign's present ``Campaign/displayEpoch``, which is the version that began it: a display of an
    ///     older version is none of this epoch's.
    package func count(
        _ engagement: InAppEngagement, at place: Place, version: Int?, epoch: Int, when moment: Date
    ) throws {
        switch engagement {
        case .display:
            try countDisplay(place, version: version, epoch: epoch, at: moment)
        case .click(let button):
            try count("clicks", 1, "clicked_at", place, at: moment)
            if let button { try tally(.clicks, try counted(button, place), place) }
        case .dismissal(let seconds):
            try count("dismissals", 1, "dismissed_at", place, at: moment)
            let time = min(max(seconds ?? 0, 0), Self.maximumScreenTime)
            if time > 0 { try count("screen_time", Int64((time * 1_000).rounded()), nil, place, at: moment) }
        case .notShown(let reason, let sentence):
            try noteNotShown(reason, sentence, place, at: moment)
            try tally(.notShown, reason, place)
        }
    }

    /// Different buttons that one person's device may name of a message.
    package static let maximumButtons = 20
    /// Under this id count the clicks on all others.
    package static let otherButton = "other"

    /// The id under which a click counts: a client that invents one each time makes no row each time.
    private func counted(_ button: String, _ place: Place) throws -> String {
        let others = try connection.first(
            """
            SELECT count(*) FROM in_app_clicks
            WHERE campaign_id = ? AND device_id = ? AND contact_id = ? AND button_id <> ? AND button_id <> ?
            """,
            place.key + [.text(button), .text(Self.otherButton)]
        ) { Int($0.integer(0)) }
        return (others ?? 0) < Self.maximumButtons ? button : Self.otherButton
    }

    /// Seconds of one display that count: one day. A clock that was set says more.
    private static let maximumScreenTime: TimeInterval = 86_400

    private func countDisplay(_ place: Place, version: Int?, epoch: Int, at moment: Date) throws {
        let counts = version.map { $0 >= epoch } ?? true
        try connection.execute(
            """
            INSERT INTO in_app_copies (campaign_id, device_id, contact_id, version, epoch, \(Self.sums), displayed_at)
            VALUES (?, ?, ?, ?, ?, ?, 1, 0, 0, 0, ?)
            ON CONFLICT (campaign_id, device_id, contact_id) DO UPDATE SET
                shown = CASE WHEN excluded.epoch > in_app_copies.epoch THEN 0 ELSE in_app_copies.shown END
                    + excluded.shown,
                epoch = CASE WHEN excluded.epoch > in_app_copies.epoch THEN excluded.epoch
                    ELSE in_app_copies.epoch END,
                displays = in_app_copies.displays + 1,
                displayed_at = coalesce(in_app_copies.displayed_at, excluded.displayed_at)
            """,
            place.key + [.integer(version ?? 1), .integer(epoch), .flag(counts), .date(moment)]
        )
    }

    /// Adds to one of the sums.
    private func count(
        _ sum: SQLText, _ amount: Int64, _ momentColumn: SQLText?, _ place: Place, at moment: Date
    ) throws {
        try insertIfNone(place)
        let first: SQLText = momentColumn.map { ", \($0) = coalesce(\($0), ?)" } ?? ""
        try connection.execute(
            """
            UPDATE in_app_copies SET \(sum) = \(sum) + ?\(first)
            WHERE campaign_id = ? AND device_id = ? AND contact_id = ?
            """,
            [.integer(amount)] + (momentColumn == nil ? [] : [.date(moment)]) + place.key
        )
    }

    private func noteNotShown(_ reason: String, _ sentence: String?, _ place: Place, at moment: Date) throws {
        try insertIfNone(place)
        try connection.execute(
            """
            UPDATE in_app_copies SET not_shown_reason = ?, not_shown_sentence = ?, not_shown_at = ?
            WHERE campaign_id = ? AND device_id = ? AND contact_id = ? AND coalesce(not_shown_at, 0) <= ?
            """,
            [.text(reason), .optional(sentence), .date(moment)] + place.key + [.date(moment)]
        )
    }

    /// An event may tell of a copy that nobody knows of: its row was erased, or it was shown by a client of version 3.
    private func insertIfNone(_ place: Place) throws {
        try connection.execute(
            """
            INSERT INTO in_app_copies (campaign_id, device_id, contact_id, version, epoch, \(Self.sums))
            VALUES (?, ?, ?, 1, 0, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING
            """,
            place.key
        )
    }

    private func tally(_ tally: InAppTally, _ word: String, _ place: Place) throws {
        try connection.execute(
            """
            INSERT INTO \(tally.table) (campaign_id, device_id, contact_id, \(tally.word), \(tally.count))
            VALUES (?, ?, ?, ?, 1)
            ON CONFLICT (campaign_id, device_id, contact_id, \(tally.word))
            DO UPDATE SET \(tally.count) = \(tally.table).\(tally.count) + 1
            """,
            place.key + [.text(word)]
        )
    }
}
