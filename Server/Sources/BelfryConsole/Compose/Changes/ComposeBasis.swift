import BelfryModel
import BelfryServerModel

/// The app's data that a form needs besides the draft: attributes, time zone and message centers.
struct ComposeBasis: Sendable {
    let schema: [String: AttributeType]
    let zone: AppZone
    var centers: [MessageCenter] = []

    /// The names of the attributes, sorted.
    var attributes: [String] { schema.keys.sorted() }
}
