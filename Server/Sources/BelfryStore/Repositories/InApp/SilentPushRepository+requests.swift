import BelfryModel
import BelfryServerModel
import Foundation

/// Requests silent pushes for devices.
extension SilentPushRepository {
    /// Requests a push for those of these devices that can be woken: they are opted in and have a token of a push
    /// service with silent pushes. A push that already waits, or is under way, is not made earlier by this; an audience
    /// check that waits is.
    ///
    /// - Parameter interval: the shortest time from a device's last push to the next, in seconds.
    package func request(
        _ reasons: SilentPushReasons, devices: [Int64], interval: TimeInterval, now: Date
    ) throws {
        guard !devices.isEmpty, !reasons.isEmpty else { return }
        let next = NextPush(interval: interval, now: now)
        try connection.executeLater(
            """
            INSERT INTO silent_pushes (device_id, app_id, reasons, carried, due_at, number, attempts)
            SELECT id, app_id, ?, 0, ?, 0, 0 FROM devices
            WHERE id IN (\(connection.dialect.integers)) AND \(Self.canBeWoken)
            ON CONFLICT (device_id) DO UPDATE SET reasons = silent_pushes.reasons | excluded.reasons,
                due_at = CASE WHEN silent_pushes.due_at IS NULL
                    OR (silent_pushes.carried = 0 AND (silent_pushes.reasons & ?) = 0
                        AND silent_pushes.due_at > \(NextPush.sql)) THEN \(NextPush.sql)
                    ELSE silent_pushes.due_at END
            """,
            [
                .integer(reasons.rawValue), .date(now), .integers(devices),
                .integer(SilentPushReasons.sayable.rawValue),
            ] + next.arguments + next.arguments
        )
    }

    /// Counts earlier silent pushes to a token for the device that has the token now: they woke the same phone, so they
    /// use up this device's budget (REG-27, PUSH-7).
    package func inherit(from former: [Int64], by device: Int64) throws {
        guard connection.dialect.isDistributed else {
            try connection.executeEach(
                Self.inheritance(
                    of: "p.sent_at",
                    from: """
                        silent_pushes p JOIN devices d ON d.id = ?
                        WHERE p.device_id = ? AND p.sent_at IS NOT NULL
                        """
                ),
                former.map { [.integer(device), .integer($0)] }
            )
            return
        }
        // The former devices may be on other servers, which cannot join them with this one (FLEET-5).
        let last = try connection.first(
            "SELECT max(sent_at) FROM silent_pushes WHERE device_id IN (\(connection.dialect.integers))",
            [.integers(former)]
        ) { $0.optionalInteger(0) }
        guard let sentAt = last ?? nil else { return }
        try connection.execute(
            Self.inheritance(of: "CAST(? AS BIGINT)", from: "devices d WHERE d.id = ?"),
            [.integer(sentAt), .integer(device)]
        )
    }

    /// - Parameter source: the device `d` that inherits, and what it inherits from.
    private static func inheritance(of sentAt: SQLText, from source: SQLText) -> SQLText {
        """
        INSERT INTO silent_pushes (device_id, app_id, reasons, carried, sent_at, number, attempts)
        SELECT d.id, d.app_id, 0, 0, \(sentAt), 0, 0 FROM \(source)
        ON CONFLICT (device_id) DO UPDATE SET sent_at = CASE
            WHEN silent_pushes.sent_at >= excluded.sent_at THEN silent_pushes.sent_at ELSE excluded.sent_at END
        """
    }

    /// The condition that a device can be woken: it is opted in, and its push service has silent pushes.
    private static let canBeWoken: SQLText = "push_provider IN ('apns', 'fcm') AND (\(DeviceRow.isOptedInSQL)) = 1"

    /// Requests a check whether these devices have entered the audience of a published message through a change, if
    /// they can be woken and a change of this kind can lead into one of the app's audiences (IAM-15). If a check is
    /// already requested, nothing is written.
    package func ask(_ changes: AudienceChanges, devices: [Int64], now: Date) throws {
        guard !devices.isEmpty, !changes.isEmpty else { return }
        let (first, interval) = (SilentPushBudget.collecting, SilentPushBudget.interval)
        let next = NextPush(interval: interval, now: now)
        let look = NextPush(interval: SilentPushBudget.lookInterval, now: now)
        try connection.executeLater(
            """
            INSERT INTO silent_pushes (device_id, app_id, reasons, carried, due_at, number, attempts)
            SELECT d.id, d.app_id, ?, 0, ?, 0, 0 FROM devices d JOIN in_app_clocks k ON k.app_id = d.app_id
            WHERE d.id IN (\(connection.dialect.integers)) AND \(Self.canBeWoken)
                AND (coalesce(k.entered_by, ?) & ?) <> 0
            ON CONFLICT (device_id) DO UPDATE SET reasons = silent_pushes.reasons | excluded.reasons,
                due_at = coalesce(silent_pushes.due_at, (SELECT max(m.moment) FROM (
                    SELECT excluded.due_at AS moment UNION ALL SELECT \(NextPush.sql)
                    UNION ALL SELECT \(NextPush.sql(after: "silent_pushes.looked_at"))) m))
            WHERE (silent_pushes.reasons | excluded.reasons) <> silent_pushes.reasons
            """,
            [
                .integer(SilentPushReasons.question(changes).rawValue), .date(now.addingTimeInterval(first)),
                .integers(devices), .integer(AudienceChanges.all.rawValue), .integer(changes.rawValue),
            ] + next.arguments + look.arguments
        )
    }

    /// Requests this check for the newest devices of a contact.
    func ask(_ changes: AudienceChanges, contact: Int64, now: Date) throws {
        let devices = try connection.query(
            "SELECT id FROM devices WHERE contact_id = ? ORDER BY id DESC LIMIT ?",
            [.integer(contact), .integer(Self.maximumDevices)]
        ) { $0.integer(0) }
        try ask(changes, devices: devices, now: now)
    }

    /// The most devices of one contact that are checked; no person has so many.
    private static let maximumDevices: Int64 = 100
}

/// When the next push may be sent after the last one, or the next check be made (``SilentPushBudget``).
private struct NextPush {
    let interval: TimeInterval
    let now: Date

    /// The SQL, whose arguments are ``arguments``.
    static let sql = sql(after: "silent_pushes.sent_at")

    static func sql(after last: SQLText) -> SQLText {
        """
        CASE WHEN \(last) > ? THEN CAST(? AS BIGINT) WHEN \(last) > ? THEN \(last) + ?
            ELSE CAST(? AS BIGINT) END
        """
    }

    var arguments: [SQLValue] {
        let milliseconds = Int64((interval * 1_000).rounded())
        return [
            // If a clock was set back, pushes must not wait longer than the interval.
            .date(now), .integer(now.milliseconds + milliseconds), .integer(now.milliseconds - milliseconds),
            .integer(milliseconds), .date(now),
        ]
    }
}
