/// The work of a fleet's devices and operator, in this order (FLEET-8).
enum FleetWork: String, CaseIterable, Encodable, Sendable {
    case links, registrations, openings, campaigns
    case oneEvent, fiftyEvents, counts, messages, fetches, syncs

    /// The name of one kind of work, after what counts as one operation.
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

    /// Whether the work is part of the week; otherwise it comes after it.
    var isOfWeek: Bool {
        switch self {
        case .links, .registrations, .openings, .campaigns: true
        case .oneEvent, .fiftyEvents, .counts, .messages, .fetches, .syncs: false
        }
    }
}
