import BelfryModel
import BelfryServices

/// Where a person's pages are, and what may be done there.
struct PersonPlace: Sendable {
    /// The address of the list of people.
    let list: String
    let number: Int64
    let app: String
    let zone: AppZone
    let mayManage: Bool
    let formToken: String

    init(_ call: ConsoleCall, _ number: Int64) throws {
        list = call.link("/people")
        app = call.link("")
        self.number = number
        zone = AppZone(try call.inApp().settings)
        mayManage = try call.rights().contains(.managePeople)
        formToken = try call.signedIn().formToken
    }

    var person: String { "\(list)/\(number)" }
    var why: String { "\(person)/why" }
}
