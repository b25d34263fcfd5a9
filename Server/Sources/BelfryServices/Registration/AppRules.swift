import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore

/// What an app says of its contacts; a group of registrations reads it once.
struct AppRules {
    let schema: [String: AttributeType]
    let settings: AppSettings

    init(of app: Int64, in connection: any SQLConnection) throws {
        guard let record = try connection.apps.find(id: app) else {
            throw StoreError.corrupted(table: "apps", key: String(app))
        }
        schema = try connection.attributes.schema(app: app)
        settings = record.settings
    }

    var contactKeys: ContactKeyRule { ContactKeyRule(settings) }
}

extension ContactKeyRule {
    init(_ settings: AppSettings) {
        if settings.identityMode == .verified {
            self = .proven
        } else {
            // What names no field is of the app's own.
            self = settings.contactFields == nil || settings.contactField != nil ? .stated : .fielded
        }
    }
}
