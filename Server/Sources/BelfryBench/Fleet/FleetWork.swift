/// What the devices and the operator of a fleet do, in this order (FLEET-8).
enum FleetWork: String, CaseIterable, Encodable, Sendable {
    case links, registrations, openings, campaigns
    case oneEvent, fiftyEvents, counts, messages, fetches, syncs

    /// What is counted as one operation.
    var name: String {
        switch self {
        case .links: "links of new devices"
        case .registrations: "first registrations, processed (PERF-5)"
        case .openings: "app opens, with \(FleetShape.eventsOfOpening) events"
        case .campaigns: "devices of push campaigns (PERF-2)"
        case .oneEvent: "events, one a request (PERF-3)"
        case .fiftyEvents: "events, 50 a request (PERF-4)"
        case .counts: "counts of an audience (PERF-6)"
        case .messages: "messages put into centers"
        case .fetches: "fetches of a message center (PERF-7)"
        case .syncs: "in-app syncs with nothing new (PERF-7)"
        }
    }

    /// Whether it is a part of the week; else it comes afterwards.
    var isOfWeek: Bool {
        switch self {
        case .links, .registrations, .openings, .campaigns: true
        case .oneEvent, .fiftyEvents, .counts, .messages, .fetches, .syncs: false
        }
    }
}
