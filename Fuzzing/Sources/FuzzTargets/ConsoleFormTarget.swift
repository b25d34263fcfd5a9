import BelfryModel
import Foundation

@testable import BelfryConsole
@testable import BelfryServerModel
@testable import BelfryServices
@testable import BelfryStore

/// Requests of browsers to the console: forms, queries, cookies and redirect addresses. The first character of an input
/// chooses the reader.
enum ConsoleFormTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let kinds = CampaignKind.allCases
        let choice = input.choice(kinds.count + 5)
        let body = input.bytes()
        if choice == kinds.count + 4 { return try head(String(decoding: body, as: UTF8.self)) }
        guard let form = FormFields(body) else { return }
        try fields(form)
        switch choice {
        case 0..<kinds.count: try campaign(form, kinds[choice])
        case kinds.count: try settings(form)
        case kinds.count + 1: try events(form)
        case kinds.count + 2: try rehearsal(form)
        default: try calendar(form)
        }
    }

    /// A form that was read can be written again, and reads back as the same form.
    private static func fields(_ form: FormFields) throws {
        let pairs = form.names.flatMap { name in
            form.all(name).map { "\(WireURL.encoded(name))=\(WireURL.encoded($0))" }
        }
        try expect(FormFields(pairs.joined(separator: "&").utf8) == form, "a form reads back as itself")
        _ = KeptForm(form, .signInFirst)
        _ = FormToken.user(of: form["formToken"])
    }

    /// A form that shows a draft and that nobody has changed leaves the draft unchanged.
    private static func campaign(_ form: FormFields, _ kind: CampaignKind) throws {
        guard let zone = AppZone(shownBy: form, of: AppSettings()) else { return }
        let basis = ComposeBasis(schema: Fixtures.schema, zone: zone)
        var problems = FormProblems()
        let draft = ComposeForm(form, kind: kind).draft(over: nil, basis, &problems)
        let again = ComposeForm(draft, basis).draft(over: draft, basis, &problems)
        try expect(again == draft, "a form that nobody has changed changes a draft: \(draft)")
        guard let written = try? JSONText.encode(draft) else { return }
        try expect((try? JSONText.decode(CampaignDraft.self, written)) != nil, "a draft can be stored: \(written)")
    }

    private static func settings(_ form: FormFields) throws {
        for topic in SettingsTopic.all {
            guard let change = try? SettingsForm(topic, form).change(),
                let settings = try? SettingsCheck.settings(AppSettings(), after: change)
            else { continue }
            try expect(ZoneName(settings.timeZoneName) != nil, "a zone that is taken is one")
        }
    }

    private static func events(_ form: FormFields) throws {
        let search = EventForm(form)
        try expect(search.attributes.count <= EventForm.maximumAttributes, "attributes have a bound")
        _ = try? search.filter(AppZone(named: "Europe/Paris"))
        // The search's address contains a person only as a number, so a search with a person is not compared.
        guard search.person == nil else { return }
        let query = search.address(below: "").utf8.dropFirst()
        try expect(FormFields(query).map { EventForm($0) } == search, "a search has an address that asks for the same")
    }

    private static func rehearsal(_ form: FormFields) throws {
        // Times are shown in milliseconds, so the first address may be less precise than the form.
        guard let shown = selection(RehearsedSelection(form)) else {
            throw Finding("the people of a rehearsal have an address that can be read")
        }
        try expect(selection(shown) == shown, "an address of people asks for the same people")
    }

    private static func selection(_ selection: RehearsedSelection) -> RehearsedSelection? {
        FormFields(selection.query.utf8.dropFirst()).map { RehearsedSelection($0) }
    }

    private static func calendar(_ form: FormFields) throws {
        let today = CalendarDay(number: 20_000)
        let span = CalendarSpan(form, today: today)
        for shown in [span, span.before, span.after] {
            try expect((7...42).contains(shown.days), "a calendar shows a week, or the weeks of a month: \(shown)")
            try expect(shown.first.weekday == 0, "weeks begin on Mondays: \(shown)")
        }
        try expect(
            FormFields(span.query.utf8).map { CalendarSpan($0, today: today) } == span, "as its address asks for it")
    }

    /// Cookies, and redirect addresses: none leads to another site.
    private static func head(_ text: String) throws {
        let cookies = Cookies([text])
        if let notice = cookies[NoticeCookie.name] {
            try expect(NoticeCookie.read(notice, session: "s") == nil, "a notice that nobody signed is shown: \(text)")
        }
        _ = cookies[ColorScheme.cookie].flatMap { ColorScheme(rawValue: $0) }
        let address = SignInPages.safe(text)
        try expect(SignInPages.safe(address) == address, "an address that is gone to may be gone to: \(address)")
        try expect(
            address == "/console" || address.utf8.starts(with: "/console/".utf8)
                || address.utf8.starts(with: "/console?".utf8), "an address of the console: \(address)"
        )
        try expect(
            address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") },
            "a header can hold the address: \(address)"
        )
    }
}
