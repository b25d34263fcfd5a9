import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A part of what a campaign's audience asks for, and whether a device has it now (CON-9).
package struct AudiencePart: Hashable, Sendable {
    package let condition: Condition
    /// Nil where it would cost too much to know.
    package let holds: Bool?

    package init(condition: Condition, holds: Bool?) {
        self.condition = condition
        self.holds = holds
    }
}

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

extension Explainer {
    /// Parts of an audience that are judged; further ones are left out.
    package static let maximumParts = 20

    /// Which parts of the audience hold for the device now. All of them together cost what one look of a device may;
    /// what nobody can say for that is left open.
    func evidence(of outside: DeviceOutside, app: AppRecord, now: Date) async throws -> [AudiencePart] {
        let conditions = Array(outside.audience.conjuncts.prefix(Self.maximumParts))
        guard !conditions.isEmpty else { return [] }
        do {
            return try await database.ask(.looking(device: outside.device, app: app.id)) { asked in
                let sql = try AudienceCompiler(connection: asked.connection, app: app.id).sql(now: now)
                return try conditions.enumerated().map { index, condition in
                    let share = 1 / Double(conditions.count - index)
                    return AudiencePart(
                        condition: condition,
                        holds: try asked.holds(condition, sql, device: outside.device, app: app.id, share: share)
                    )
                }
            }
        } catch let error where error.meansOverload {
            return conditions.map { AudiencePart(condition: $0, holds: nil) }
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
