import Mustache
import Testing

@testable import BelfryConsole

@Suite("Parts that name their values themselves")
struct RepeatedPartsTests {
    private static let chip = StatusChip(word: "Draft", tone: "quiet")
    private static let detail = TimelineModel.Detail(detailName: "price", detailWords: "9.99")
    private static let item = CalendarModel.Item(
        itemName: "Sale", itemAddress: "/7", itemTime: "18:00", itemKind: "Push", itemChip: chip, itemZones: "UTC+14"
    )

    /// No two values of one part are alike, and none is missing.
    private static let parts: [any MustacheParent & Sendable] = [
        LayoutModel.Entry(title: "Home", address: "/", icon: "home", isCurrent: true, key: "h"),
        LayoutModel.SchemeChoice(value: "dark", name: "Dark", isChosen: true), chip, Fact("Key", "anna"),
        Bar("Opened", 3, of: 40, tone: "bar-bad", address: "/people"),
        ColumnChart.Column(x: "1", y: "2", width: "3", height: "4", title: "1 Dec: 5"),
        ColumnChart.Mark(x: "1", y: "2", text: "500", anchor: "end"),
        LineChart.Mark(x: "1", y: "2", text: "500", anchor: "end"),
        HomeModel.Day(dayName: "Monday", sent: "1", shown: "2", opened: "3", optedIn: "4"),
        CampaignLine(name: "Sale", address: "/7", kind: "Push", status: chip),
        CampaignListModel.Line(
            name: "Sale", lineAddress: "/7", kind: "Push", status: StatusChip(word: "Sending", tone: "busy"),
            reviewChip: chip, duplicateAddress: "/7/duplicate"
        ),
        CampaignListModel.Choice(choiceValue: "push", choiceWords: "Push", isChosen: true),
        CampaignPeopleModel.Line(
            personTitle: "anna", personAddress: "/people/1", deviceName: "D-1", personChip: chip, why: "optedOut",
            changed: "1 Dec", noticed: "2 Dec"
        ),
        TimelineModel.Line(
            lineTone: "good", lineWhen: "1 Dec", lineMoment: "2026-12-01", lineSentence: "It was sent.",
            lineCampaign: "Sale", lineCampaignAddress: "/7", lineWhyAddress: "/why", lineDevice: "D-1",
            lineDetails: [detail]
        ),
        detail, TimelineModel.Filter(filterName: "Events", filterAddress: "/1", isPresentFilter: true),
        WhyForm.Choice(whyCampaign: "7", whyCampaignName: "Sale (draft)", isWhyChosen: true),
        CalendarModel.Day(
            dayName: "Monday", dayNumber: "1", isToday: true, isOther: false, isFree: false, items: [item]
        ),
        CalendarModel.Day(
            dayName: "Monday", dayNumber: "1", isToday: false, isOther: true, isFree: false, items: []
        ),
        item,
    ]

    @Test("CON-1: a part that names its values itself names each of them, and by its own name")
    func same() {
        for part in Self.parts {
            for (name, value) in Mirror(reflecting: part).children {
                let found = part.child(named: name ?? "")
                #expect(found.map { "\($0)" } == Self.words(value), "\(type(of: part)).\(name ?? "")")
            }
            #expect(part.child(named: "missing") == nil, "\(type(of: part))")
        }
    }

    @Test("CON-1: a value that is not there is not found, so a template looks for it around the part")
    func missing() {
        let line = CampaignPeopleModel.Line(
            personTitle: "anna", personAddress: nil, deviceName: "D-1", personChip: Self.chip, why: nil, changed: "",
            noticed: ""
        )
        #expect(line.child(named: "why") == nil && line.child(named: "personAddress") == nil)
        #expect((line.child(named: "changed") as? String)?.isEmpty == true)
    }

    /// Of what an optional holds.
    private static func words(_ value: Any) -> String? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return "\(value)" }
        return mirror.children.first.map { "\($0.value)" }
    }
}
