import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes that find people by any of their names, and show one person's history (CON-9).
package enum PeopleRoutes {
    package static let page = PageLimits(standard: 50, maximum: 200)

    static let all = [searchPeople.route, readTimeline.route]

    package static let searchPeople = AdminRoute(
        .get, inApp: "/people", id: "searchPeople", .people, scope: .read, summary: "Search people",
        description: """
            By contact key or former key, contact field, the value of an attribute, the number of a party identifier, \
            device id or push token, each by an index. Without `by`, each kind of search that needs no name is tried, \
            and the kinds with results are listed. An id may name several installations: all are listed.
            """,
        parameters: page.parameters + [
            OperationParameter(
                name: "text", place: .query, schema: .string(0...PeopleSearch.maximumLength),
                description: "The text to search for; without it, all contacts by their keys.", mayBeEmpty: true
            ),
            OperationParameter(
                name: "by", place: .query, schema: .cases(of: PeopleSearchKind.self),
                description: "Only this kind of search. A cursor needs it."
            ),
            OperationParameter(
                name: "name", place: .query, schema: .string(1...AttributeKey.maximumLength),
                description: "With `by=attribute` or `by=field`: of the attribute or the contact field."
            ),
        ],
        response: "What was searched for, and what each kind of search found.", errors: [.unprocessable], does: search
    )

    package static let readTimeline = AdminRoute(
        .get, inApp: "/contacts/{contactKey}/timeline", id: "readTimeline", .people, scope: .read,
        summary: "Read a person's timeline",
        description: """
            What happened to a person, newest first: events, registrations with what was rejected, links, logins and \
            logouts, messages, and the decisions of campaigns with their reasons. Of the newest 50 devices, and as many \
            that have left.
            """,
        parameters: page.parameters + [
            OperationParameter(
                name: "kind", place: .query, schema: .cases(of: TimelineKind.self),
                description: "Only entries of this kind."
            )
        ],
        response: "One page.", does: timeline
    )

    private static func search(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<PeopleSearchResponse> {
        let page = try call.page(Self.page)
        let search = PeopleSearch(
            try call.text("text") ?? "", by: try call.word("by", of: PeopleSearchKind.self),
            name: try call.text("name") ?? ""
        )
        guard page.cursor == nil || search.kind != nil else {
            throw APIError(
                .badRequest, ErrorCode.badRequest, "Name the kind of search: a cursor belongs to one kind.",
                target: "by"
            )
        }
        let found = try await find(search, page, call, app: app)
        return Done(PeopleSearchResponse(found: found.map(PeopleSearchResponse.Finding.init)))
    }

    private static func find(
        _ search: PeopleSearch, _ page: PageQuery, _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> [PeopleFinding] {
        let directory = call.services.directory
        guard search.kind == .attribute else {
            return try await directory.people(search, app: app, cursor: page.cursor, limit: page.limit)
        }
        // The cost depends on the attributes that people have.
        return try await call.costlyRead {
            try await directory.people(search, app: app, cursor: page.cursor, limit: page.limit)
        }
    }

    private static func timeline(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<TimelineResponse> {
        let page = try call.page(Self.page)
        let kind = try call.word("kind", of: TimelineKind.self)
        let found = try await call.services.explainer.timeline(
            of: .key(call.part("contactKey")), app: app, kind: kind, cursor: page.cursor, limit: page.limit
        )
        return Done(
            TimelineResponse(entries: found.entries.map(TimelineResponse.Entry.init), cursor: found.cursor)
        )
    }
}
