import BelfryModel
import BelfryServerModel

/// What a form depends on beside the draft: the app's attributes, clock and message centers.
struct ComposeBasis: Sendable {
    let schema: [String: AttributeType]
    let zone: AppZone
    var centers: [MessageCenter] = []

    /// The names of the attributes, in their order.
    var attributes: [String] { schema.keys.sorted() }
}
