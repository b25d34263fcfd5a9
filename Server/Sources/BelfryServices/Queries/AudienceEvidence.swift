import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A device that an audience left out, of which the parts can be asked for.
struct DeviceOutside: Hashable, Sendable {
    let device: Int64
    let audience: Condition
}

extension Condition {
    /// What has to hold together, each by itself; nothing for everyone.
    fileprivate var conjuncts: [Condition] {
        switch self {
        case .everyone: []
        case .all(let parts): parts.flatMap(\.conjuncts)
        default: [self]
        }
    }
}

/// Why an audience left devices out: which parts of it each of them lacks now.
package struct AudienceEvidence: Sendable {
    let database: any SQLDatabase

    /// Parts of an audience that are judged; further ones are left out.
    package static let maximumParts = 20

    /// Devices of one person of which the parts are judged; of further ones they are left open.
    package static let maximumJudged = 5

    /// Which parts of its audience hold for each device now. All of them together cost what one look of a device may, and
    /// are asked when nobody else waits: what nobody can say for that is left open.
    ///
    /// - Returns: for each device its parts.
    func parts(of devices: [DeviceOutside], app: AppRecord, now: Date) async throws -> [[AudiencePart]] {
        let open = devices.map { device in
            device.audience.conjuncts.prefix(Self.maximumParts).map { AudiencePart(condition: $0, holds: nil) }
        }
        let judged = Array(zip(devices, open).prefix(Self.maximumJudged))
        let count = judged.reduce(0) { $0 + $1.1.count }
        guard count > 0 else { return open }
        do {
            let known = try await database.ask(.explaining) { asked in
                let sql = try AudienceCompiler(connection: asked.connection, app: app.id).sql(now: now)
                var left = count
                return try judged.map { device, parts in
                    try parts.map { part in
                        let share = 1 / Double(left)
                        left -= 1
                        return AudiencePart(
                            condition: part.condition,
                            holds: try asked.holds(
                                part.condition, sql, device: device.device, app: app.id, share: share
                            )
                        )
                    }
                }
            }
            return known + open.dropFirst(known.count)
        } catch let error where error.meansOverload {
            return open
        }
    }
}

extension PredicateConnection {
    /// - Returns: nil where it costs more than its share. What cannot be selected any more holds for nobody.
    fileprivate func holds(
        _ condition: Condition, _ sql: AudienceSQL, device: Int64, app: Int64, share: Double
    ) throws -> Bool? {
        do {
            return try holds(device, app: app, audience: sql.compile(condition), share: share)
        } catch is ValueError {
            return false
        } catch StoreError.tooExpensive {
            return nil
        }
    }
}
