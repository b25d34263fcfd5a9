import BelfryModel

/// Moves or erases in-app device states when a person becomes known or is erased (ID-8, REG-36).
extension InAppDeviceStateRepository {
    /// Moves a device's states from one person to another, who counts as having seen the same messages.
    package func move(of device: Int64, from contact: Int64, to other: Int64) throws {
        let place: [SQLValue] = [.integer(other), .integer(device), .integer(contact)]
        for tally in InAppTally.all {
            let key: SQLText = "campaign_id, device_id, contact_id, \(tally.word)"
            try connection.execute(
                """
                INSERT INTO \(tally.table) (\(key), \(tally.count))
                SELECT campaign_id, device_id, ?, \(tally.word), \(tally.count) FROM \(tally.table)
                WHERE \(Self.ofDevice) AND contact_id = ?
                ON CONFLICT (\(key)) DO UPDATE SET \(tally.count) = \(tally.table).\(tally.count) + excluded.\(tally.count)
                """,
                [.integer(other), .integer(device), .integer(device), .integer(contact)]
            )
        }
        try connection.execute(Self.moveSQL, place)
        try erase(device: device, contact: contact)
    }

    /// Erases a device's states, for one person or for all.
    package func erase(device: Int64, contact: Int64? = nil) throws {
        let whose: SQLText = contact == nil ? "" : " AND contact_id = ?"
        let contact = contact.map { [SQLValue.integer($0)] } ?? []
        for tally in InAppTally.all {
            try connection.execute(
                "DELETE FROM \(tally.table) WHERE \(Self.ofDevice)\(whose)",
                [.integer(device), .integer(device)] + contact
            )
        }
        try connection.execute(
            "DELETE FROM in_app_copies WHERE device_id = ?\(whose)", [.integer(device)] + contact
        )
    }

    /// Erases the states of devices for a person, including contacts merged into the person's.
    package func erase(devices: [Int64], person contact: Int64) throws {
        guard !connection.dialect.isDistributed else {
            for device in devices { try eraseInTurn(device: device, person: contact) }
            return
        }
        for tally in InAppTally.all {
            try connection.executeEach(
                Self.eraseWordsSQL(tally), devices.map { [.integer($0), .integer($0), .integer(contact)] }
            )
        }
        try connection.executeEach(Self.eraseCopiesSQL, devices.map { [.integer($0), .integer(contact)] })
    }

    /// The same where contacts are on other servers than devices (FLEET-5).
    private func eraseInTurn(device: Int64, person contact: Int64) throws {
        func erase(from table: SQLText, _ areTheDevices: SQLText, _ arguments: [SQLValue]) throws {
            let isTheirs = try connection.contactParts.isPart(
                "contact_id", of: contact,
                among: SQLFragment("SELECT DISTINCT contact_id FROM \(table) WHERE \(areTheDevices)", arguments)
            )
            try connection.execute(
                "DELETE FROM \(table) WHERE \(areTheDevices) AND \(isTheirs.sql)", arguments + isTheirs.arguments
            )
        }
        // The counts of words are found by the copies, which go last.
        for tally in InAppTally.all {
            try erase(from: tally.table, Self.ofDevice, [.integer(device), .integer(device)])
        }
        try erase(from: "in_app_copies", "device_id = ?", [.integer(device)])
    }

    /// Its arguments are the device, twice, and the contact.
    private static func eraseWordsSQL(_ tally: InAppTally) -> SQLText {
        "DELETE FROM \(tally.table) WHERE \(ofDevice) AND \(ContactRepository.surviving(in: "contact_id")) = ?"
    }

    /// Its arguments are the device and the contact.
    package static let eraseCopiesSQL: SQLText = """
        DELETE FROM in_app_copies WHERE device_id = ? AND \(ContactRepository.surviving(in: "contact_id")) = ?
        """

    /// The condition for the rows of a device in a table of word counts, which is ordered by campaign; both arguments
    /// are the device.
    private static let ofDevice: SQLText = """
        campaign_id IN (SELECT k.campaign_id FROM in_app_copies k WHERE k.device_id = ?) AND device_id = ?
        """

    /// The columns of a row that is moved to another contact; the contact is an argument.
    private static let columnsOfOther = InAppDeviceStateRow.Column.allCases.map { column -> SQLText in
        column == .contact ? "?" : column.sql
    }.joined(by: ", ")

    /// Adds a device's states of one person to those of another. Displays of a past epoch do not count for a later one.
    private static let moveSQL: SQLText = """
        INSERT INTO in_app_copies (\(InAppDeviceStateRow.columns))
        SELECT \(columnsOfOther) FROM in_app_copies WHERE device_id = ? AND contact_id = ?
        ON CONFLICT (campaign_id, device_id, contact_id) DO UPDATE SET
            version = \(greater("version")), downloaded_at = \(later("downloaded_at")),
            shown = CASE WHEN in_app_copies.epoch >= excluded.epoch THEN in_app_copies.shown ELSE 0 END
                + CASE WHEN excluded.epoch >= in_app_copies.epoch THEN excluded.shown ELSE 0 END,
            epoch = \(greater("epoch")), displays = in_app_copies.displays + excluded.displays,
            displayed_at = \(earlier("displayed_at")), clicks = in_app_copies.clicks + excluded.clicks,
            clicked_at = \(earlier("clicked_at")), dismissals = in_app_copies.dismissals + excluded.dismissals,
            dismissed_at = \(earlier("dismissed_at")),
            screen_time = in_app_copies.screen_time + excluded.screen_time,
            not_shown_reason = \(ofLater("not_shown_reason")), not_shown_sentence = \(ofLater("not_shown_sentence")),
            not_shown_at = \(later("not_shown_at")), recalled_at = \(later("recalled_at"))
        """

    private static func greater(_ column: SQLText) -> SQLText {
        "CASE WHEN excluded.\(column) > in_app_copies.\(column) THEN excluded.\(column) ELSE in_app_copies.\(column) END"
    }

    /// The later of two moments that may be missing.
    private static func later(_ column: SQLText) -> SQLText {
        """
        CASE WHEN coalesce(excluded.\(column), 0) > coalesce(in_app_copies.\(column), 0) THEN excluded.\(column) \
        ELSE in_app_copies.\(column) END
        """
    }

    private static func earlier(_ column: SQLText) -> SQLText {
        """
        CASE WHEN excluded.\(column) < coalesce(in_app_copies.\(column), excluded.\(column) + 1) THEN excluded.\(column) \
        ELSE in_app_copies.\(column) END
        """
    }

    /// The value that belongs to the later of two reasons.
    private static func ofLater(_ column: SQLText) -> SQLText {
        """
        CASE WHEN coalesce(excluded.not_shown_at, 0) > coalesce(in_app_copies.not_shown_at, 0) \
        THEN excluded.\(column) ELSE in_app_copies.\(column) END
        """
    }
}
