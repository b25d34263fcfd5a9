import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// Gives a push token to the device that registers it, and takes it from any other device: no two live devices have the
/// same token. It belongs to the newer registration (REG-27), so a registration that waited for processing does not
/// take it back.
///
/// It runs in the transaction of the call that brings the token, or of the registration that is applied. That
/// transaction saves the device's row afterwards. The other devices' rows are saved here, with the time of the move:
/// operators see it, and a live device learns it with its next sync (WIRE-9).
struct PushTokenMove {
    let connection: any SQLConnection
    let token: PushToken
    let order: PropertyOrder
    /// When the server received the registration.
    let registeredAt: Date
    /// Whether newer registrations may have come since. If not, this one is the newest, even if the clock was set back.
    let waited: Bool
    let count: TokenMoveCount

    /// Moves the token.
    ///
    /// - Returns: the devices from which it was taken.
    @discardableResult
    func apply(to device: inout DeviceRow) throws -> [DeviceRow] {
        let others = try connection.devices.others(holding: token, app: device.app, than: device.id)
        let moment = registeredAt.milliseconds
        guard !waited || others.allSatisfy({ ($0.tokenAt?.milliseconds ?? .min) <= moment }) else { return [] }
        for var other in others {
            other.pushToken = nil
            other.tokenAt = registeredAt
            other.updatedAt = max(registeredAt, other.updatedAt)
            try connection.devices.save(other)
        }
        if !others.isEmpty { try connection.silentPushes.inherit(from: others.map(\.id), by: device.id) }
        count.add(others.count)
        let isNew = device.pushToken != token
        device.pushToken = token
        device.tokenOrder = order
        device.tokenAt = isNew ? registeredAt : max(registeredAt, device.tokenAt ?? registeredAt)
        device.updatedAt = max(registeredAt, device.updatedAt)
        if isNew, device.optOut?.isLifted(by: .newToken) == true { device.optOut = nil }
        return others
    }
}

/// Counts push tokens that moved from one device to another. A re-installed app is the usual reason. Many moves with
/// few new installations suggest that somebody knows other people's tokens. A transaction that is repeated counts
/// again.
package struct TokenMoveCount: Sendable {
    package static let name = "belfry_push_tokens_moved_total"

    private let metrics: Metrics?

    package init(metrics: Metrics? = nil) {
        self.metrics = metrics
    }

    func add(_ moves: Int) {
        metrics?.add(moves, to: Self.name)
    }
}
