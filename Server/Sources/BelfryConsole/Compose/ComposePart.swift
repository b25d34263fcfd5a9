import BelfryModel
import BelfryServerModel
import Foundation

/// Some fields of a form that say one thing of a draft: how they show it, and how they change it. What nobody has
/// changed in them is left as it was, whatever they can show of it.
struct ComposePart: Sendable {
    typealias Values = [String: [String]]

    /// The fields that belong together.
    let names: [String]
    let show: @Sendable (CampaignDraft, ComposeBasis) -> Values
    let write: @Sendable (FormFields, inout CampaignDraft, ComposeBasis, inout FormProblems) -> Void
    /// The field for what the API calls so; nil: it is not of these.
    let place: @Sendable (_ apiName: String, FormFields) -> String?
    /// Whether two forms say the same here.
    let isSame: @Sendable (_ typed: FormFields, _ shown: FormFields) -> Bool
    /// How the changes of two people come together in it.
    private(set) var merging = Merging.whole

    init(
        _ names: [String], api: [(prefix: String, field: String)] = [],
        show: @escaping @Sendable (CampaignDraft, ComposeBasis) -> Values,
        write: @escaping @Sendable (FormFields, inout CampaignDraft, ComposeBasis, inout FormProblems) -> Void
    ) {
        self.init(
            names, show: show, write: write,
            place: { name, _ in api.first { name.isAPIName($0.prefix) }?.field },
            isSame: { typed, shown in names.allSatisfy { Self.isSame($0, typed, shown) } }
        )
    }

    init(
        _ names: [String], show: @escaping @Sendable (CampaignDraft, ComposeBasis) -> Values,
        write: @escaping @Sendable (FormFields, inout CampaignDraft, ComposeBasis, inout FormProblems) -> Void,
        place: @escaping @Sendable (String, FormFields) -> String?,
        isSame: @escaping @Sendable (FormFields, FormFields) -> Bool
    ) {
        self.names = names
        self.show = show
        self.write = write
        self.place = place
        self.isSame = isSame
    }

    /// How the changes of two people come together in the fields of a part (CON-5).
    enum Merging: Sendable {
        /// They say one thing together: one of the two changes stands.
        case whole
        /// The same where no field shows it by itself: what somebody else made of it is told at one field, in words.
        case told(at: String, @Sendable (CampaignDraft) -> String)
        /// Each by itself.
        case fields
        /// Each field of each row by itself.
        case rows(KeyedRows)
    }

    /// Rows that are known again when others were added or removed.
    struct KeyedRows: Sendable {
        let rows: FormRows
        /// The field that says which row it was; of a new one it is empty.
        let key: String
        /// The field by which people call a row.
        let label: String
    }

    func merged(_ merging: Merging) -> ComposePart {
        var part = self
        part.merging = merging
        return part
    }

    /// Changes a draft by what was typed, if that is another thing than the form showed.
    func apply(
        _ typed: FormFields, to draft: inout CampaignDraft, over base: CampaignDraft, _ basis: ComposeBasis,
        _ problems: inout FormProblems
    ) {
        guard names.contains(where: typed.contains) else { return }
        guard !isSame(typed, FormFields(show(base, basis))) else { return }
        write(typed, &draft, basis, &problems)
    }

    /// Fields that take several lines; a browser takes line ends out of all others.
    static let areas: Set<String> = [
        "body", "predicate", "defaults", "centerDefaults", "custom", "html", "centerMessage", "richHtml", "filterJSON",
        "variantBody", "variantHtml", "variantButtons", "centerVariantMessage", "centerVariantHtml",
    ]

    /// Whether somebody typed this into a field: it says something, and not what the form showed. What an option that
    /// is not chosen would drop is refused then; what the form itself had put there goes with its option.
    static func isTyped(_ value: String, _ name: String, over shown: String) -> Bool {
        let text = read(value, name)
        return !text.showsNothing && !text.isExactly(read(shown, name))
    }

    /// Whether a field has the same values in two forms, to the byte.
    static func isSame(_ name: String, _ one: FormFields, _ other: FormFields) -> Bool {
        one.all(name).elementsEqual(other.all(name)) { read($0, name).isExactly(read($1, name)) }
    }

    /// A value as a browser sends it back.
    static func read(_ value: String, _ name: String) -> String {
        let isArea = areas.contains(name)
        let dropped: [UInt8] = isArea ? [UInt8(ascii: "\r")] : [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        guard value.utf8.contains(where: dropped.contains) else { return value }
        return String(decoding: value.utf8.filter { !dropped.contains($0) }, as: UTF8.self)
    }
}

extension ComposePart {
    /// One field for a text that may be missing; a blank one is none.
    static func text(
        _ name: String, api: String, _ get: @escaping @Sendable (CampaignDraft) -> String?,
        _ set: @escaping @Sendable (inout CampaignDraft, String?) -> Void
    ) -> ComposePart {
        ComposePart([name], api: [(api, name)]) { draft, _ in
            [name: [get(draft) ?? ""]]
        } write: { fields, draft, _, _ in
            let text = fields[name]
            set(&draft, text.showsNothing ? nil : text)
        }
    }

    /// One field for a whole number that may be missing.
    static func number(
        _ name: String, api: String, _ get: @escaping @Sendable (CampaignDraft) -> Int?,
        _ set: @escaping @Sendable (inout CampaignDraft, Int?) -> Void
    ) -> ComposePart {
        ComposePart([name], api: [(api, name)]) { draft, _ in
            [name: [get(draft).map(String.init) ?? ""]]
        } write: { fields, draft, _, problems in
            let text = fields[name]
            if text.showsNothing { return set(&draft, nil) }
            guard let number: Int = WholeNumber.read(text) else {
                return problems.add(name, "Write a whole number such as 3, or nothing.")
            }
            set(&draft, number)
        }
    }

    /// One field for a moment by the app's clocks.
    static func moment(
        _ name: String, api: String, _ get: @escaping @Sendable (CampaignDraft) -> Date?,
        _ set: @escaping @Sendable (inout CampaignDraft, Date?) -> Void
    ) -> ComposePart {
        ComposePart([name], api: [(api, name)]) { draft, basis in
            [name: [get(draft).map(basis.zone.field) ?? ""]]
        } write: { fields, draft, basis, problems in
            let text = fields[name]
            if text.showsNothing { return set(&draft, nil) }
            guard let date = basis.zone.date(text) else {
                return problems.add(name, "Choose a day and a time, or leave it empty.")
            }
            set(&draft, date)
        }
    }
}
