import Belfry
import BelfryNotificationService
import Foundation

/// The class of the notification service extension; its `Info.plist` names it as `NSExtensionPrincipalClass`.
final class NotificationService: BelfryNotificationServiceExtension {
    override var settings: NotificationServiceSettings {
        // Without the app group the extension still shows images.
        let directory = try? BelfryConfiguration.appGroupDirectory("group.com.example.shop")
        var settings = NotificationServiceSettings(appCode: "shop", appGroupDirectory: directory)
        settings.neutralText = NSLocalizedString("You have a new notification.", comment: "")
        // Only with Apple's entitlement com.apple.developer.usernotifications.filtering.
        settings.hidesPushesOfFormerPersons = false
        return settings
    }
}
