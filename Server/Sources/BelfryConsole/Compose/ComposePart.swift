import BelfryModel
import BelfryServerModel
import Foundation

/// Form fields that together show and change one aspect of a draft. If nobody has changed the fields, that aspect of
/// the draft stays exactly as it was, even if the fields cannot show all of it.
struct ComposePart: Sendable {
    typealias Values = [String: [String]]

    /// The names of the fields.
    let names: [String]
    let show: @Sendable (CampaignDraft, ComposeBasis) -> Values
    let write: @Sendable (FormFields, inout CampaignDraft, ComposeBasis, inout FormProblems) -> Void
    /// The field for an API name; nil where the API name belongs to no field of this part.
    let place: @Sendable (_ apiName: String, FormFields) -> String?
    /// Whether two forms have the same values in this part.
    let isSame: @Sendable (_ typed: FormFields, _ shown: FormFields) -> Bool
    /// How changes of two people are merged in this part.
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

    /// How changes of two people are merged in the fields of a part (CON-5).
    enum Merging: Sendable {
        /// All fields are one value: the editor takes one of the two changes as a whole.
        case whole
        /// All fields are one value that no single field shows: the other person's change is put into words at one
        /// field.
        case described(at: String, @Sendable (CampaignDraft) -> String)
        /// Each field is merged by itself.
        case fields
        /// Each field of each row is merged by itself.
        case rows(KeyedRows)
    }

    /// Rows with a key, so that they can be recognized when others were added or removed.
    struct KeyedRows: Sendable {
        let rows: FormRows
        /// The field with the row's key; empty in a new row.
        let key: String
        /// The field by whose value people name a row.
        let label: String
    }

    func merged(_ merging: Merging) -> ComposePart {
        var part = self
        part.merging = merging
        return part
    }

    /// Changes a draft by the typed values, if they differ from what the form showed.
    func apply(
        _ typed: FormFields, to draft: inout CampaignDraft, over base: CampaignDraft, _ basis: ComposeBasis,
        _ problems: inout FormProblems
    ) {
        guard names.contains(where: typed.contains) else { return }
        guard !isSame(typed, FormFields(show(base, basis))) else { return }
        write(typed, &draft, basis, &problems)
    }

    /// The fields with several lines; a browser removes line ends from all others.
    static let areas: Set<String> = [
        "body", "predicate", "defaults", "centerDefaults", "custom", "html", "centerMessage", "richHtml", "filterJSON",
        "variantBody", "variantHtml", "variantButtons", "centerVariantMessage", "centerVariantHtml",
    ]

    /// Whether a person typed this into a field: it is not blank, and differs from what the form showed. An error is
    /// shown where an option that was not chosen would drop such a value. Values that the form itself showed are
    /// dropped without one.
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
    /// A part with one field for an optional text. A blank text becomes nil.
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

    /// A part with one field for an optional whole number.
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

    /// A part with one field for an optional moment, in the app's time zone.
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
