import Foundation

package struct RefreshTokenRepository {
    let connection: any SQLConnection

    package struct Grant: Hashable, Sendable {
        package let device: Int64
        package let generation: Int64
    }

    package func insert(hash: [UInt8], device: Int64, generation: Int64, now: Date) throws {
        try connection.executeLater(
            "INSERT INTO refresh_tokens (token_hash, device_id, generation, created_at) VALUES (?, ?, ?, ?)",
            [.blob(hash), .integer(device), .integer(generation), .date(now)]
        )
    }

    /// How old the recorded time of use may be, in seconds: a device renews its contact token every few hours, and must
    /// not write a row each time.
    private static let lag: TimeInterval = 86_400

    /// Records that a device has shown its token, so it is in use (FLEET-2). The column starts with the time at which
    /// the token was made.
    package func noteUse(hash: [UInt8], of device: Int64, now: Date) throws {
        try connection.executeLater(
            "UPDATE refresh_tokens SET created_at = ? WHERE token_hash = ? AND device_id = ? AND created_at < ?",
            [.date(now), .blob(hash), .integer(device), .date(now.addingTimeInterval(-Self.lag))]
        )
    }

    package func find(hash: [UInt8], device: Int64) throws -> Grant? {
        try connection.first(
            "SELECT generation FROM refresh_tokens WHERE token_hash = ? AND device_id = ?",
            [.blob(hash), .integer(device)]
        ) { Grant(device: device, generation: $0.integer(0)) }
    }

    /// The same for a token that does not name its device (WIRE-4), as programs gave out before the number was part of it.
    package func find(hash: [UInt8]) throws -> Grant? {
        try connection.first("SELECT device_id, generation FROM refresh_tokens WHERE token_hash = ?", [.blob(hash)]) {
            Grant(device: $0.integer(0), generation: $0.integer(1))
        }
    }

    /// Deletes the tokens of earlier generations, once a newer one has been used (WIRE-20).
    package func deleteOlder(than generation: Int64, device: Int64) throws {
        try connection.executeLater(
            "DELETE FROM refresh_tokens WHERE device_id = ? AND generation < ?",
            [.integer(device), .integer(generation)]
        )
    }

    /// Deletes tokens that were never used: those of later generations than the one in use, except the newest. A client
    /// that links again and again, and loses each response, gets one each time.
    package func deleteUnused(of device: Int64, after confirmed: Int64, before newest: Int64) throws {
        // Usually there are no generations in between.
        guard newest - confirmed > 1 else { return }
        try connection.executeLater(
            "DELETE FROM refresh_tokens WHERE device_id = ? AND generation > ? AND generation < ?",
            [.integer(device), .integer(confirmed), .integer(newest)]
        )
    }

    package func deleteAll(of device: Int64) throws {
        try connection.execute("DELETE FROM refresh_tokens WHERE device_id = ?", [.integer(device)])
    }
}

extension SQLConnection {
    package var refreshTokens: RefreshTokenRepository { RefreshTokenRepository(connection: self) }
}
