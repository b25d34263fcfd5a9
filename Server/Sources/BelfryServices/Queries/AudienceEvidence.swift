import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A device that an audience left out, and the audience, whose parts can be evaluated for the device.
struct DeviceOutside: Hashable, Sendable {
    let device: Int64
    let audience: Condition
}

extension Condition {
    /// The conditions that must all hold, with nested `all` conditions flattened; empty for everyone.
    fileprivate var conjuncts: [Condition] {
        switch self {
        case .everyone: []
        case .all(let parts): parts.flatMap(\.conjuncts)
        default: [self]
        }
    }
}

/// Explains why an audience left devices out: which of its parts do not hold for each device now.
package struct AudienceEvidence: Sendable {
    let database: any SQLDatabase

    /// The most parts of an audience that are evaluated; further parts are left out.
    package static let maximumParts = 20

    /// The most devices of one person for which the parts are evaluated; for further devices the result stays unknown.
    package static let maximumJudged = 5

    /// Which parts of its audience hold for each device now. All evaluations together have the budget of one in-app
    /// query, and run only if no other query waits. A part that cannot be evaluated under these limits is left unknown.
    ///
    /// - Returns: the parts of each device, in the order of the devices.
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
    /// - Returns: nil if the evaluation costs more than its share of the budget; false for a condition that can no
    ///   longer be compiled.
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
