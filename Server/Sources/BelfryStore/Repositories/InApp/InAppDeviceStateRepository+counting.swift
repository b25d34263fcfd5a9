import BelfryModel
import Foundation

/// Counts devices' reports about messages. The caller ensures that each event is counted once.
extension InAppDeviceStateRepository {
    /// Adds counts to the rows of different messages; each row is written once, however many events it has.
    package func count(_ counts: [InAppCount]) throws {
        let buttons = try countedButtons(counts)
        try connection.executeEach(Self.countSQL, counts.map(\.row))
        try tally(.clicks, zip(counts, buttons).map { ($0.place, $1) })
        try tally(.notShown, counts.map { ($0.place, $0.reasons) })
    }

    /// The row may have to be made: it was erased, or a v3 client has shown the message without a recorded download.
    private static let countSQL: SQLText = """
        INSERT INTO in_app_copies (\(InAppCount.columns)) VALUES (\(SQLText.marks(16)))
        ON CONFLICT (campaign_id, device_id, contact_id) DO UPDATE SET
            shown = CASE WHEN excluded.epoch > in_app_copies.epoch THEN 0 ELSE in_app_copies.shown END
                + excluded.shown,
            epoch = CASE WHEN excluded.epoch > in_app_copies.epoch THEN excluded.epoch ELSE in_app_copies.epoch END,
            displays = in_app_copies.displays + excluded.displays, displayed_at = \(first("displayed_at")),
            clicks = in_app_copies.clicks + excluded.clicks, clicked_at = \(first("clicked_at")),
            dismissals = in_app_copies.dismissals + excluded.dismissals, dismissed_at = \(first("dismissed_at")),
            screen_time = in_app_copies.screen_time + excluded.screen_time,
            not_shown_reason = \(ofLast("not_shown_reason")), not_shown_sentence = \(ofLast("not_shown_sentence")),
            not_shown_at = \(ofLast("not_shown_at"))
        """

    /// The earlier of two moments that may be missing.
    private static func first(_ column: SQLText) -> SQLText {
        "coalesce(in_app_copies.\(column), excluded.\(column))"
    }

    /// The value that belongs to the later of two reasons; of equally late ones, the one reported last.
    private static func ofLast(_ column: SQLText) -> SQLText {
        """
        CASE WHEN excluded.not_shown_at >= coalesce(in_app_copies.not_shown_at, 0) THEN excluded.\(column) \
        ELSE in_app_copies.\(column) END
        """
    }

    /// The most different buttons of a message that one person's device may report.
    package static let maximumButtons = 20
    /// The id under which clicks on all other buttons are counted.
    package static let otherButton = "other"

    /// The ids under which clicks are counted: a client that invents a new id each time does not get a new row each
    /// time.
    private func countedButtons(_ counts: [InAppCount]) throws -> [WordCount] {
        var known = try knownButtons(of: counts.filter { !$0.buttons.words.isEmpty }.map(\.place))
        let other = WordCount.Word(Self.otherButton)
        return counts.map { count in
            var counted = WordCount()
            var own = known.removeValue(forKey: count.place) ?? []
            for (button, times) in count.buttons.words {
                let word = WordCount.Word(button)
                let others = own.count - (own.contains(word) ? 1 : 0)
                if others < Self.maximumButtons {
                    counted.add(button, times: times)
                    if word != other { own.insert(word) }
                } else {
                    counted.add(Self.otherButton, times: times)
                }
            }
            return counted
        }
    }

    /// The buttons that have rows, except the one for all others.
    private func knownButtons(of places: [InAppDeviceStateKey]) throws -> [InAppDeviceStateKey: Set<WordCount.Word>] {
        var known: [InAppDeviceStateKey: Set<WordCount.Word>] = [:]
        for (owner, places) in Dictionary(grouping: places, by: { InAppDeviceStateKey.Owner($0) }) {
            let buttons = try connection.query(
                Self.knownButtonsSQL(connection.dialect),
                [
                    .integers(places.map(\.campaign.number)), .integer(owner.device), .integer(owner.contact),
                    .text(Self.otherButton),
                ]
            ) { (CampaignID($0.integer(0)), $0.text(1)) }
            for (campaign, button) in buttons {
                guard let campaign else { continue }
                let place = InAppDeviceStateKey(campaign: campaign, device: owner.device, contact: owner.contact)
                known[place, default: []].insert(WordCount.Word(button))
            }
        }
        return known
    }

    /// Its arguments are a JSON array of campaigns, the device, the contact, and a button to leave out.
    package static func knownButtonsSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT campaign_id, button_id FROM in_app_clicks
        WHERE campaign_id IN (\(dialect.integers)) AND device_id = ? AND contact_id = ? AND button_id <> ?
        """
    }

    private func tally(_ tally: InAppTally, _ counts: [(place: InAppDeviceStateKey, words: WordCount)]) throws {
        try connection.executeEach(
            """
            INSERT INTO \(tally.table) (campaign_id, device_id, contact_id, \(tally.word), \(tally.count))
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (campaign_id, device_id, contact_id, \(tally.word))
            DO UPDATE SET \(tally.count) = \(tally.table).\(tally.count) + excluded.\(tally.count)
            """,
            counts.flatMap { place, words in
                words.words.map { word, times in place.values + [.text(word), .integer(times)] }
            }
        )
    }
}

extension InAppDeviceStateKey {
    fileprivate struct Owner: Hashable {
        let device: Int64
        let contact: Int64

        init(_ place: InAppDeviceStateKey) {
            device = place.device
            contact = place.contact
        }
    }
}
