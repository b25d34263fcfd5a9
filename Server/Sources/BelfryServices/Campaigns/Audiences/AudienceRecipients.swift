import BelfryModel
import BelfryStore
import Foundation

/// The devices of an audience, page by page, for previews, dry runs and rehearsals.
struct AudienceRecipients {
    let asked: PredicateConnection
    let app: AppRecord
    let audience: Condition
    /// The values to read for each device.
    let values: [RecipientValue]

    /// The next devices after this one, in the order of their numbers.
    ///
    /// - Throws: ``ServiceError`` if the audience refers to something that no longer exists. That may have changed
    ///   since the campaign was read.
    func next(after device: Int64, limit: Int, now: Date) throws -> [Recipient] {
        let compiler = AudienceCompiler(connection: asked.connection, app: app.id)
        try compiler.check(audience)
        return try asked.recipients(
            after: device, app: app.id, audience: compiler.predicate(audience, now: now), values: values, limit: limit
        )
    }
}
