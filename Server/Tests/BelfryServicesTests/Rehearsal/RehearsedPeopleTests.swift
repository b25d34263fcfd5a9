import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

@Suite("CON-12: the people behind the numbers of a rehearsal")
struct RehearsedPeopleTests {
    @Test("CON-12: a zone, a platform and a locale lead to their people, and so do those that name none")
    func groups() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(6)
        try await world.tell("time_zone = 'Europe/Paris', locale = 'fr-FR'", of: [1, 2, 5])
        try await world.tell("time_zone = 'Asia/Tokyo', locale = NULL, push_token = NULL", of: [3, 5])
        try await world.tell("time_zone = NULL", of: [4, 6])
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft()))
        // What devices say later is not what was rehearsed.
        try await world.tell("time_zone = 'America/Lima'", of: [1, 2, 3])
        func people(_ group: RehearsedSelection.Group, reached: Bool? = nil) async throws -> [Int] {
            var selection = RehearsedSelection()
            (selection.group, selection.isReached) = (group, reached)
            let found = try await world.rehearsals.people(in: rehearsal, selection, limit: 10)
            return try found.people.map { person in
                try #require((1...6).first { try ServiceWorld.client($0).rawValue == person.device })
            }
        }
        #expect(try await people(.init(.zone, "Europe/Paris")) == [1, 2])
        #expect(try await people(.init(.zone, "Asia/Tokyo")) == [3, 5])
        #expect(try await people(.init(.zone, "Asia/Tokyo"), reached: true) == [])
        #expect(try await people(.init(.zone, nil)) == [4, 6])
        #expect(try await people(.init(.zone, "America/Lima")) == [])
        #expect(try await people(.init(.locale, "fr-FR"), reached: true) == [1, 2])
        try await world.expectPeople(behind: rehearsal)
    }

    @Test("CON-12: where more groups are counted than figures keep, the others lead to their people, too")
    func others() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(70)
        for number in 1...70 { try await world.tell("locale = 'x-\(number)', time_zone = 'others'", of: [number]) }
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft()))
        #expect(rehearsal.figures?.byLocale.count == 61 && rehearsal.figures?.byZone.map(\.name) == ["others"])
        try await world.expectPeople(behind: rehearsal)
    }

    @Test("CON-12: an hour leads to those who would get it in it, also where a launch is in the midst of a second")
    func hours() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(30)
        world.clock.advance(by: 0.777)
        let schedule = CampaignSchedule(ratePerSecond: 1)
        // Half a minute, with the end of an hour in it.
        let hour = (world.clock.now.timeIntervalSince1970 / 3_600).rounded(.up) * 3_600
        world.clock.advance(by: hour - 14.4 - world.clock.now.timeIntervalSince1970)
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft(schedule: schedule)))
        #expect(rehearsal.figures?.byHour.count == 2)
        try await world.expectPeople(behind: rehearsal)
        var never = RehearsedSelection()
        never.to = world.clock.now
        #expect(try await world.rehearsals.people(in: rehearsal, never, limit: 10) == RehearsedPeople())
    }

    @Test("CON-12, ADM-7: one call looks at few pages, says where to go on, and skips those that have nobody")
    func bounded() async throws {
        let world = try await ServiceWorld()
        let batch = RehearsalReading.devicesAtOnce
        try await world.makeFleet(batch * 3 + 5)
        try await world.tell("locale = 'fr-FR'", of: [batch * 3 + 2])
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft()))
        var selection = RehearsedSelection()
        selection.group = RehearsedSelection.Group(.locale, "fr-FR")
        let first = try await world.rehearsals.people(in: rehearsal, selection, limit: 10, heads: 2)
        #expect(first.people.isEmpty)
        let next = try #require(first.next)
        let rest = try await world.rehearsals.people(in: rehearsal, selection, after: next, limit: 10, heads: 2)
        #expect(rest.people.count == 1)
        // Of four pages one may have somebody: only that one is unpacked.
        let (figures, launch) = (try #require(rehearsal.figures), try #require(rehearsal.launchAt))
        let filter = try #require(try selection.filter(of: figures, launch: launch))
        let heads = try await world.database.read { connection in
            try connection.rehearsals.heads(of: rehearsal.id, after: 0, having: filter, limit: 9).map(\.mayHave)
        }
        #expect(heads == [false, false, false, true])
    }

    @Test("CON-12: a rehearsal of an older version, which kept outcomes alone, says so; its outcomes have their people")
    func older() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft()))
        try await world.database.write { connection in
            let pages = try connection.rehearsals.pages(of: rehearsal.id, after: 0, limit: 9)
            let older = pages.map { page in
                RehearsalPage(
                    page.devices.map { RehearsedDevice(device: $0.device, outcome: $0.outcome, after: $0.after) }
                )
            }
            for page in older {
                try connection.execute(
                    "UPDATE rehearsal_pages SET content = ? WHERE rehearsal_id = ? AND last_device = ?",
                    [.blob(page.packed), .integer(rehearsal.id), .integer(page.devices.last?.device ?? 0)]
                )
            }
            var figures = try #require(rehearsal.figures)
            figures.byZone.indices.forEach { figures.byZone[$0].place = nil }
            figures.byPlatform.indices.forEach { figures.byPlatform[$0].place = nil }
            figures.byLocale.indices.forEach { figures.byLocale[$0].place = nil }
            try connection.execute(
                "UPDATE rehearsals SET figures = ? WHERE id = ?",
                [.text(try JSONText.encode(figures)), .integer(rehearsal.id)]
            )
        }
        let older = try await world.rehearsals.find(rehearsal.id, of: rehearsal.campaign, app: world.app)
        #expect(older.figures?.namesTraits == false)
        let accepted = RehearsedSelection(outcome: .accepted)
        #expect(try await world.rehearsals.people(in: older, accepted, limit: 9).people.count == 3)
        var selection = RehearsedSelection()
        selection.group = RehearsedSelection.Group(.platform, nil)
        let code = await errorCode { try await world.rehearsals.people(in: older, selection, limit: 9) }
        #expect(code == "unknownTraits")
    }
}

extension ServiceWorld {
    /// Sets columns of some devices, by their numbers from 1 on.
    fileprivate func tell(_ columns: SQLText, of numbers: [Int]) async throws {
        let clients = try numbers.map { try Self.client($0).rawValue }
        _ = try await database.write { connection in
            try connection.executeEach(
                "UPDATE devices SET \(columns) WHERE client_id = ?", clients.map { [.text($0)] }
            )
        }
    }

    /// Behind each number of a rehearsal there are exactly as many people, and together they are all.
    func expectPeople(behind rehearsal: Rehearsal, _ comment: Comment? = nil) async throws {
        let figures = try #require(rehearsal.figures, comment)
        var numbers: [(selection: RehearsedSelection, count: Int)] = figures.outcomes.map {
            (RehearsedSelection(outcome: $0.outcome), $0.count)
        }
        for hour in figures.byHour {
            var selection = RehearsedSelection(outcome: .accepted)
            (selection.from, selection.to) = (hour.from, hour.from.addingTimeInterval(3_600))
            numbers.append((selection, hour.count))
        }
        for trait in RehearsedTrait.allCases {
            for group in figures.groups(by: trait) {
                var selection = RehearsedSelection()
                selection.group = RehearsedSelection.Group(trait, group.name)
                numbers.append((selection, group.audience))
                selection.isReached = true
                numbers.append((selection, group.reached))
            }
        }
        var (others, placed, crowded) = (RehearsedSelection(), RehearsedSelection(), RehearsedSelection())
        (others.isReached, placed.isPlaced, crowded.isCrowded) = (false, true, true)
        numbers += [
            (RehearsedSelection(), figures.audience), (others, figures.audience - figures.reached),
            (placed, figures.placed), (crowded, figures.crowded),
        ]
        for (selection, count) in numbers {
            let found = try await rehearsals.people(in: rehearsal, selection, limit: 10_000)
            #expect(found.people.count == count && found.next == nil, "\(selection) \(comment?.rawValue ?? "")")
        }
    }
}
