extension OpenAPI {
    /// What an operation belongs to: a tag of the description.
    enum Area: String, Hashable, Sendable, CaseIterable {
        case device
        case apps
        case campaigns
        case people
        case service

        var tree: JSONTree {
            .object(["name": .string(rawValue), "description": .string(description)])
        }

        private var description: String {
            switch self {
            case .device: "What SDKs call, for one installation of an app."
            case .apps: "Apps, their settings, attributes and credentials."
            case .campaigns: "Campaigns, from draft to end."
            case .people: "Devices, their events, contacts, and why a device did or did not get a campaign."
            case .service: "Health, metrics, work that is set aside, and this description."
            }
        }
    }
}
