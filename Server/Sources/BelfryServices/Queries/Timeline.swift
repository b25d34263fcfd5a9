import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension Explainer {
    /// Devices of a person whose history is read, and as many that the person has had.
    static let timelineDevices = 50

    /// What happened to a person, the newest first: events, registrations, links, messages and decisions (CON-9).
    ///
    /// - Parameter kind: only entries of this kind; nil: all.
    package func timeline(
        of person: PersonReference, app: AppRecord, kind: TimelineKind? = nil, cursor: String? = nil, limit: Int
    ) async throws -> TimelinePage {
        let clock = self.clock
        let place = try cursor.map { text throws(ServiceError) in
            guard let cursor = TimelineCursor(text) else {
                throw .invalid("cursor", "invalidCursor", "Use the cursor of an earlier response.")
            }
            return cursor
        }
        return try await database.read { connection in
            let contact = try AppLookup(connection: connection, app: app.id).person(person)
            let reader = try TimelineReader(of: contact, clock: clock, in: connection)
            return try reader.page(kind, behind: place, limit: limit)
        }
    }
}

/// Reads a page of a person's timeline in one view of the store: a page of each source, of which the newest entries are
/// taken.
struct TimelineReader {
    /// An entry as its source has it.
    enum Content {
        case event(device: Int64, StoredEvent)
        case registration(TimelineRegistration)
        case link(ContactLinkRow)
        case inApp(TimelineMoment<InAppMoment>)
        case center(TimelineMoment<CenterMoment>)
        case ledger(TimelineMoment<LedgerMoment>)
    }

    struct Found {
        let source: TimelineSource
        let position: TimelinePosition
        let content: Content

        init(_ source: TimelineSource, _ position: TimelinePosition, _ content: Content) {
            self.source = source
            self.position = position
            self.content = content
        }
    }

    let connection: any SQLConnection
    let app: Int64
    let scope: TimelineScope
    let clients: [Int64: DeviceID]
    let clock: ExplanationClock

    init(of contact: ContactRow, clock: ExplanationClock, in connection: any SQLConnection) throws {
        let present = try connection.devices.ofContact(
            contact.id, limit: Explainer.timelineDevices, OwnedDevice.init
        )
        let left = try connection.people.formerDevices(
            of: contact.id, app: contact.app, after: 0, limit: Explainer.timelineDevices
        )
        let theirs = try connection.contacts.parts(
            of: contact.id, among: present.flatMap(\.formerContacts)
        )
        self.connection = connection
        self.clock = clock
        app = contact.app
        scope = TimelineScope(
            app: contact.app, contact: contact.id, present: present.map(\.id), former: left.map(\.id),
            sole: present.filter { $0.isSole(of: theirs) }.map(\.id),
            holders: try connection.holders(of: contact).map(\.number)
        )
        let named = present.map { ($0.id, $0.client) } + left.map { ($0.id, $0.client) }
        clients = Dictionary(named) { first, _ in first }
    }

    func page(_ kind: TimelineKind?, behind cursor: TimelineCursor?, limit: Int) throws -> TimelinePage {
        let sources = TimelineSource.allCases.filter { kind == nil || $0.kind == kind }
        let found = try sources.map { source in
            try read(source, before: cursor?.start(of: source) ?? TimelinePosition(at: .max), limit: limit + 1)
        }
        let (shown, next) = Self.merged(found, limit: limit + 1).cut(to: limit) {
            TimelineCursor($0.position, in: $0.source)
        }
        var words = try TimelineWords(self, for: shown)
        return TimelinePage(entries: try shown.map { try words.entry($0) }, cursor: next?.text)
    }

    private func read(_ source: TimelineSource, before place: TimelinePosition, limit: Int) throws -> [Found] {
        let timelines = connection.timelines
        switch source {
        case .event:
            return try timelines.events(of: scope, before: place, limit: limit).map {
                Found(source, $0.position, .event(device: $0.device, $0.event))
            }
        case .registration:
            return try timelines.registrations(of: scope, before: place, limit: limit).map {
                Found(source, $0.position, .registration($0))
            }
        case .link:
            return try timelines.links(of: scope, before: place, limit: limit).map {
                Found(source, $0.position, .link($0.link))
            }
        case .inApp:
            return try timelines.inAppMessages(of: scope, before: place, limit: limit).map {
                Found(source, $0.position, .inApp($0))
            }
        case .center:
            return try timelines.centerMessages(of: scope, before: place, limit: limit).map {
                Found(source, $0.position, .center($0))
            }
        case .engagement:
            let moments: [LedgerMoment] = [.received, .displayed, .opened, .dismissed]
            return try timelines.ledger(of: scope, moments, before: place, limit: limit).map {
                Found(source, $0.position, .ledger($0))
            }
        case .decision:
            return try timelines.ledger(of: scope, [.decided], before: place, limit: limit).map {
                Found(source, $0.position, .ledger($0))
            }
        }
    }

    /// The newest of several lists that are in order; of one moment in the order of the lists.
    static func merged(_ lists: [[Found]], limit: Int) -> [Found] {
        var rests = lists.map { $0[...] }
        var merged: [Found] = []
        while merged.count < limit {
            var best: Int?
            for (index, rest) in rests.enumerated() {
                guard let head = rest.first else { continue }
                guard let other = best.flatMap({ rests[$0].first }), other.position.at >= head.position.at else {
                    best = index
                    continue
                }
            }
            guard let best, let next = rests[best].popFirst() else { break }
            merged.append(next)
        }
        return merged
    }
}
