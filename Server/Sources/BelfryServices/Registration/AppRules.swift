import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore

/// An app's rules for its contacts. A group of registrations reads them once.
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
            // A registration names no field, so its key counts for the app's own field.
            self = settings.contactFields == nil || settings.contactField != nil ? .stated : .fielded
        }
    }
}
