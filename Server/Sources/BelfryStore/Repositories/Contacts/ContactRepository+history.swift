/// What devices have left behind with a contact `c`, as conditions (REG-24).
///
/// A device may have left any number of contacts, have sent any number of events for others, and a contact may have been
/// left by any number of devices. The writer looks through them, so it looks through so many, and what has more counts as
/// a history (SEC-8, SEC-9). The limits are compared first: in a `CASE` nothing is worked out before its turn.
extension ContactRepository {
    /// Devices that have left a contact.
    package static let maximumFormerDevices = 100
    /// Events of these devices together, whoever they are of.
    package static let maximumEvents = 10_000
    /// Places in the ledger that they may have together: one for each campaign of the app.
    package static let maximumPlaces = 50_000
    /// Contacts that have gone into it.
    package static let maximumParts = 10_000

    /// One that lives, or a dormant one.
    static let hasDevice: SQLText = """
        EXISTS (SELECT 1 FROM devices d WHERE d.contact_id = c.id)
            OR EXISTS (SELECT 1 FROM dormant_devices z WHERE z.contact_id = c.id)
        """
    static let hasNoDevice: SQLText = """
        NOT EXISTS (SELECT 1 FROM devices d WHERE d.contact_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM dormant_devices z WHERE z.contact_id = c.id)
        """

    private static let hasLeft: SQLText = "f.app_id = c.app_id AND f.contact_id = c.id"

    /// Whether there is more than is looked through.
    static let isLarge: SQLText = """
        (CASE WHEN EXISTS (SELECT 1 FROM former_devices f WHERE \(hasLeft) LIMIT 1 OFFSET \(maximumFormerDevices)) THEN 1
            WHEN EXISTS (SELECT 1 FROM former_devices f JOIN events e ON e.device_id = f.device_id
                WHERE \(hasLeft) LIMIT 1 OFFSET \(maximumEvents)) THEN 1
            WHEN EXISTS (SELECT 1 FROM former_devices f JOIN campaigns m ON m.app_id = f.app_id
                WHERE \(hasLeft) LIMIT 1 OFFSET \(maximumPlaces)) THEN 1
            WHEN EXISTS (SELECT 1 FROM contacts r WHERE r.merged_into = c.id LIMIT 1 OFFSET \(maximumParts)) THEN 1
            ELSE 0 END = 1)
        """

    private static let someEvent: SQLText = """
        EXISTS (SELECT 1 FROM former_devices f JOIN events e ON e.device_id = f.device_id
            WHERE \(hasLeft) AND e.contact_id = c.id)
        """

    /// Deliveries keep the anonymous contact that they were planned for. They are looked up device by device, campaign by
    /// campaign of the app: with an offset, if only of 0, that is planned by itself. As a part of a join it might be a
    /// read of what everybody has.
    private static func someDelivery(_ dialect: any Dialect) -> SQLText {
        let ofApp = dialect.isFound("l.campaign_id", by: "SELECT m.id FROM campaigns m WHERE m.app_id = c.app_id")
        return """
            EXISTS (SELECT 1 FROM former_devices f WHERE \(hasLeft) AND EXISTS (
                SELECT 1 FROM deliveries l WHERE \(ofApp) AND l.device_id = f.device_id
                    AND (l.contact_id = c.id OR \(surviving(in: "l.contact_id")) = c.id) LIMIT 1 OFFSET 0))
            """
    }

    /// False where it is not looked for.
    static let hasEvent: SQLText = "(CASE WHEN \(isLarge) THEN 0 WHEN \(someEvent) THEN 1 ELSE 0 END = 1)"
    /// False where it is not looked for.
    static func hasDelivery(_ dialect: any Dialect) -> SQLText {
        "(CASE WHEN \(isLarge) THEN 0 WHEN \(someDelivery(dialect)) THEN 1 ELSE 0 END = 1)"
    }

    /// Whether there is an event or a delivery, or more than is looked through for one.
    static func hasHistory(_ dialect: any Dialect) -> SQLText {
        "(CASE WHEN \(isLarge) THEN 1 WHEN \(someEvent) THEN 1 WHEN \(someDelivery(dialect)) THEN 1 ELSE 0 END = 1)"
    }
}
