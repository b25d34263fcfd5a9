import BelfryModel
import BelfryStore
import Foundation

/// The devices of an audience, page by page, for whoever looks at them before a launch or without one.
struct AudienceRecipients {
    let asked: PredicateConnection
    let app: AppRecord
    let audience: Condition
    /// What is told of each device.
    let values: [RecipientValue]

    /// The next devices behind one, in the order of their numbers.
    ///
    /// - Throws: ``ServiceError`` when the audience refers to what is no longer there: that may have changed since the
    ///   campaign was read.
    func next(after device: Int64, limit: Int, now: Date) throws -> [Recipient] {
        let compiler = AudienceCompiler(connection: asked.connection, app: app.id)
        try compiler.check(audience)
        return try asked.recipients(
            after: device, app: app.id, audience: compiler.predicate(audience, now: now), values: values, limit: limit
        )
    }
}
