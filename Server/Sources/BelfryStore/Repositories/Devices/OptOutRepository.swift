import BelfryModel
import Foundation

/// The effect of a push service's response about a token on the device that has the token (REG-31).
package struct TokenOptOut: Hashable, Sendable {
    package let device: Int64
    package let token: String
    /// Since when the token is invalid according to the service; a later registration of the token stays valid. Nil:
    /// the opt-out holds whenever the token was registered.
    package let invalidSince: Date?
    package let optOut: OptOut

    package init(device: Int64, token: String, invalidSince: Date? = nil, optOut: OptOut) {
        self.device = device
        self.token = token
        self.invalidSince = invalidSince
        self.optOut = optOut
    }
}

/// Opt-outs of devices: what push services answered about their tokens, and what lifts it again.
package struct OptOutRepository {
    let connection: any SQLConnection

    /// Opts devices out, unless they have another token now, have registered this one again since, or were already
    /// opted out by the user.
    package func record(_ optOuts: [TokenOptOut]) throws {
        try connection.executeEach(
            """
            UPDATE devices SET opt_out_reason = ?, opt_out_at = ?, updated_at = \(DeviceRepository.later)
            WHERE id = ? AND push_token = ? AND coalesce(token_at, 0) < ?
                AND coalesce(opt_out_reason, '') NOT IN ('user', 'os-setting')
            """,
            optOuts.map {
                [
                    .text($0.optOut.reason.rawValue), .date($0.optOut.at), .date($0.optOut.at), .date($0.optOut.at),
                    .integer($0.device), .text($0.token), .integer($0.invalidSince?.milliseconds ?? .max),
                ]
            }
        )
        try connection.audiences.followConsent(of: Set(optOuts.map(\.device)).sorted())
    }

    /// Devices of an app whose opt-outs must be lifted, in no order.
    package func devices(for lifting: OptOutLifting, app: Int64, limit: Int = .max) throws -> [Int64] {
        try connection.query(
            "SELECT id FROM devices WHERE app_id = ? AND \(OptOutLifting.condition) LIMIT ?",
            [.integer(app)] + lifting.arguments + [.integer(limit)]
        ) { $0.integer(0) }
    }

    /// Lifts the opt-outs of those of some devices that still need it.
    package func lift(_ lifting: OptOutLifting, of devices: [Int64], now: Date) throws {
        let lifted = try connection.query(
            """
            UPDATE devices SET opt_out_reason = NULL, opt_out_at = NULL, updated_at = \(DeviceRepository.later)
            WHERE id IN (\(connection.dialect.integers)) AND \(OptOutLifting.condition) RETURNING id
            """,
            [.date(now), .date(now), .integers(devices)] + lifting.arguments
        ) { $0.integer(0) }
        try connection.audiences.followConsent(of: lifted)
        try connection.silentPushes.ask(.identity, devices: lifted, now: now)
    }

    /// Lifts opt-outs that wrong credentials have caused on some devices: the push service has accepted a push since,
    /// so the credentials have been corrected there (REG-33).
    package func endRejections(of devices: [Int64], now: Date) throws {
        let areThese = connection.dialect.isAmong(devices, "id")
        try connection.execute(
            """
            UPDATE devices SET opt_out_reason = NULL, opt_out_at = NULL, updated_at = \(DeviceRepository.later)
            WHERE \(areThese.sql) AND opt_out_reason = ?
            """,
            [.date(now), .date(now)] + areThese.arguments + [.text(OptOutReason.providerAuthentication.rawValue)]
        )
    }

    /// Whether any opt-outs that other services' responses caused at or after `since` must still be lifted.
    package func exist(
        app: Int64, except provider: PushProvider, reason: OptOutReason, since: Date
    ) throws -> Bool {
        try connection.first(
            """
            SELECT 1 FROM devices
            WHERE app_id = ? AND opt_out_reason = ? AND opt_out_at >= ? AND push_provider <> ? LIMIT 1
            """,
            [.integer(app), .text(reason.rawValue), .date(since), .text(provider.rawValue)]
        ) { $0.flag(0) } ?? false
    }

    /// How many devices of an app are opted out for a reason, counted up to a limit.
    package func count(of reason: OptOutReason, app: Int64, limit: Int) throws -> Int {
        let question = Self.askForCount(of: reason, app: app, limit: limit)
        return try connection.first(question.sql, question.arguments) { Int($0.integer(0)) } ?? 0
    }

    /// The query of ``count(of:app:limit:)``, which may be sent together with others.
    static func askForCount(of reason: OptOutReason, app: Int64, limit: Int) -> SQLFragment {
        SQLFragment(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM devices WHERE app_id = ? AND opt_out_reason = ? AND opt_out_reason IS NOT NULL LIMIT ?) d
            """,
            [.integer(app), .text(reason.rawValue), .integer(limit)]
        )
    }
}

extension SQLConnection {
    package var optOuts: OptOutRepository { OptOutRepository(connection: self) }
}
