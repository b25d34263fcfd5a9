import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension Explainer {
    /// The most devices of a person whose history is read, and the most former devices.
    static let timelineDevices = 50

    /// A page of what happened to a person, newest first: events, registrations, links, messages and decisions (CON-9).
    ///
    /// - Parameter kind: only entries of this kind; nil for all.
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

/// Reads a page of a person's timeline in one database snapshot: a page from each source, of which the newest entries
/// are used.
struct TimelineReader {
    /// An entry as its source stores it.
    enum Content {
        case event(device: Int64, EventRow)
        case registration(TimelineRegistration)
        case link(ContactLinkRow)
        case inApp(TimelineMoment<InAppMoment>)
        case center(TimelineMoment<CenterMoment>)
        case ledger(TimelineMoment<LedgerMoment>)
    }

    /// The page that was read from one source.
    struct Part {
        let found: [Found]
        /// Whether the source has more than it returned although it returned fewer entries than the limit. Its next
        /// entry is then unknown.
        var isCut = false
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
        let theirs = try connection.contactParts.all(
            of: contact.id, among: present.flatMap(\.formerContacts)
        )
        self.connection = connection
        self.clock = clock
        app = contact.app
        scope = TimelineScope(
            app: contact.app, contact: contact.id, present: present.map(\.id), former: left.map(\.id),
            sole: present.filter { $0.isSole(of: theirs) }.map(\.id),
            holders: try MessageHolders(connection: connection).holders(of: contact).map(\.number)
        )
        let named = present.map { ($0.id, $0.client) } + left.map { ($0.id, $0.client) }
        clients = Dictionary(named) { first, _ in first }
    }

    func page(_ kind: TimelineKind?, behind cursor: TimelineCursor?, limit: Int) throws -> TimelinePage {
        let sources = TimelineSource.allCases.filter { kind == nil || $0.kind == kind }
        let parts = try sources.map { source in
            try read(source, before: cursor?.start(of: source) ?? TimelinePosition(at: .max), limit: limit + 1)
        }
        let (found, isCut) = Self.merged(parts, limit: limit + 1)
        let (shown, next) = found.cut(to: limit, at: Self.cursor)
        let end = next ?? (isCut ? shown.last.map(Self.cursor) : nil)
        var words = try TimelineWords(self, for: shown)
        return TimelinePage(entries: try shown.map { try words.entry($0) }, cursor: end?.text)
    }

    private static func cursor(_ found: Found) -> TimelineCursor {
        TimelineCursor(found.position, in: found.source)
    }

    private func read(_ source: TimelineSource, before place: TimelinePosition, limit: Int) throws -> Part {
        let timelines = connection.timelines
        switch source {
        case .event:
            // An event may have up to 64 KiB (SEC-2).
            let (events, isCut) = try timelines.events(
                of: scope, before: place, limit: limit, maximumBytes: DirectoryQueries.maximumBytesOfEvents
            )
            let found = events.map { Found(source, $0.position, .event(device: $0.device, $0.event)) }
            return Part(found: found, isCut: isCut)
        case .registration:
            let registrations = try timelines.registrations(of: scope, before: place, limit: limit)
            return Part(found: registrations.map { Found(source, $0.position, .registration($0)) })
        case .link:
            let links = try timelines.links(of: scope, before: place, limit: limit)
            return Part(found: links.map { Found(source, $0.position, .link($0.link)) })
        case .inApp:
            let moments = try timelines.inAppMessages(of: scope, before: place, limit: limit)
            return Part(found: moments.map { Found(source, $0.position, .inApp($0)) })
        case .center:
            let moments = try timelines.centerMessages(of: scope, before: place, limit: limit)
            return Part(found: moments.map { Found(source, $0.position, .center($0)) })
        case .engagement:
            let asked: [LedgerMoment] = [.received, .displayed, .opened, .dismissed]
            let moments = try timelines.ledger(of: scope, asked, before: place, limit: limit)
            return Part(found: moments.map { Found(source, $0.position, .ledger($0)) })
        case .decision:
            let moments = try timelines.ledger(of: scope, [.decided], before: place, limit: limit)
            return Part(found: moments.map { Found(source, $0.position, .ledger($0)) })
        }
    }

    /// The newest entries of several sorted parts. Of the entries at one moment, those of earlier parts come first.
    ///
    /// - Returns: the entries, and whether they end where a part was cut: the other parts' next entries may be older
    ///   than what that part left out.
    private static func merged(_ parts: [Part], limit: Int) -> (found: [Found], isCut: Bool) {
        var rests = parts.map { $0.found[...] }
        var merged: [Found] = []
        while merged.count < limit {
            guard zip(parts, rests).allSatisfy({ !$0.isCut || !$1.isEmpty }) else { return (merged, true) }
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
        return (merged, false)
    }
}
