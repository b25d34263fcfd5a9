import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for the campaign calendar: what is sent when, and which devices get several messages (CON-6).
package enum CalendarRoutes {
    package static let standardDays = 7

    static let all = [readCalendar.route, countPressure.route]

    private static let parameters = [
        OperationParameter(
            name: "from", place: .query, schema: .day, description: "The first day; default: today, in the app's zone."
        ),
        OperationParameter.days(maximum: CalendarService.maximumDays, standardDays),
    ]

    package static let readCalendar = AdminRoute(
        .get, inApp: "/calendar", id: "readCalendar", .campaigns, scope: .read,
        summary: "Read the calendar of campaigns",
        description: """
            Campaigns that were sent, that are planned, and drafts that name a time. A campaign by the recipients' own \
            clocks lasts from the first zone of the world to the last.
            """,
        parameters: parameters, response: "The campaigns, in the order in which they begin.", does: read
    )

    package static let countPressure = AdminRoute(
        .post(audit: "calendar.pressure"), inApp: "/calendar/pressure", id: "countPressure", .campaigns, scope: .read,
        summary: "Count how many planned messages reach the same devices",
        description: """
            Over the notifications that are planned for some days, \(CampaignPressure.maximum) at most: how large each \
            audience is now, which overlap, how many devices get how many, and which ones frequency caps exclude. It \
            reads the app's devices once. A body is ignored.
            """,
        parameters: parameters, response: "The counts.", does: pressure
    )

    private static func read(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<CalendarResponse> {
        let calendar = call.services.calendar
        let entries = try await calendar.entries(
            from: try call.day("from", calendar.today(in: app)),
            days: try call.days(standardDays, maximum: CalendarService.maximumDays), app: app
        )
        return Done(CalendarResponse(campaigns: entries.map(CalendarResponse.Entry.init)))
    }

    private static func pressure(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<PressureResponse> {
        let calendar = call.services.calendar
        let first = try call.day("from", calendar.today(in: app))
        let days = try call.days(standardDays, maximum: CalendarService.maximumDays)
        let pressure = try await call.costlyRead {
            try await calendar.pressure(from: first, days: days, app: app)
        }
        return Done(PressureResponse(pressure))
    }
}

/// `GET …/calendar`.
package struct CalendarResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var id: String
        package var name: String
        package var kind: CampaignKind
        package var status: CampaignStatus
        package var begins: String
        package var ends: String?
        package var localAt: String?
        package var frequencyCap: FrequencyCap?
    }

    package var campaigns: [Entry]
}

extension CalendarResponse.Entry {
    init(_ entry: CalendarEntry) {
        id = entry.campaign.id.description
        name = entry.campaign.name
        kind = entry.campaign.kind
        status = entry.campaign.status
        begins = Timestamp.text(entry.begins)
        ends = entry.ends.map(Timestamp.text)
        localAt = entry.localAt?.description
        frequencyCap = entry.cap
    }
}

extension CalendarResponse: Described {
    static let schema: JSONSchema = .object([
        "campaigns": .list(
            of: .object(
                [
                    "id": .of(CampaignID.self), "name": .string(), "kind": .of(CampaignKind.self),
                    "status": .of(CampaignStatus.self), "begins": .of(Timestamp.self),
                ],
                optional: [
                    "ends": .of(Timestamp.self).described("Absent: an in-app message without an end."),
                    "localAt": .string().described("The time that each recipient's own clock shows."),
                    "frequencyCap": .of(FrequencyCap.self),
                ]
            )
        )
    ])
}

/// `POST …/calendar/pressure`.
package struct PressureResponse: Hashable, Sendable, Codable {
    package struct Audience: Hashable, Sendable, Codable {
        package var campaign: String
        package var name: String
        package var devices: Int
        /// The number of devices that its frequency cap excludes; nil: it has no cap.
        package var capped: Int?
    }

    package struct Overlap: Hashable, Sendable, Codable {
        package var campaigns: [String]
        package var devices: Int
    }

    package struct Load: Hashable, Sendable, Codable {
        package var messages: Int
        package var devices: Int
    }

    package var devices: Int
    package var audiences: [Audience]
    package var overlaps: [Overlap]
    package var loads: [Load]
    package var notCounted: Int
}

extension PressureResponse {
    init(_ pressure: CampaignPressure) {
        let capped = pressure.capped.reduce(into: [Int: Int]()) { $0[$1.entry] = $1.devices }
        devices = pressure.devices
        audiences = pressure.entries.indices.map { index in
            let entry = pressure.entries[index]
            return Audience(
                campaign: entry.campaign.id.description, name: entry.campaign.name, devices: pressure.reach[index],
                capped: entry.cap.map { _ in capped[index] ?? 0 }
            )
        }
        overlaps = pressure.overlaps.map { overlap in
            Overlap(
                campaigns: [overlap.first, overlap.second].map { pressure.entries[$0].campaign.id.description },
                devices: overlap.devices
            )
        }
        loads = pressure.loads.map { Load(messages: $0.messages, devices: $0.devices) }
        notCounted = pressure.left
    }
}

extension PressureResponse: Described {
    static let schema: JSONSchema = .object([
        "devices": .count.described("Devices of any of the audiences."),
        "audiences": .list(
            of: .object(
                ["campaign": .of(CampaignID.self), "name": .string(), "devices": .count],
                optional: [
                    "capped": .count.described(
                        "Devices that have had as many of these messages as its frequency cap allows.")
                ]
            )
        ),
        "overlaps": .list(
            of: .object(["campaigns": .list(of: .of(CampaignID.self), 2...2), "devices": .count])
        ),
        "loads": .list(of: .object(["messages": .count, "devices": .count]))
            .described("How many devices are in the audiences of how many of the campaigns."),
        "notCounted": .count.described("Campaigns of these days that are left out."),
    ])
}
