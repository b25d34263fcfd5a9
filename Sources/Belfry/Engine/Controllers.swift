// One controller for each concern. They begin the steps of the device.
extension DeviceEngine {
    nonisolated var lifecycle: LifecycleController { LifecycleController(engine: self) }
    nonisolated var privacy: PrivacyController { PrivacyController(engine: self) }
    nonisolated var contact: ContactController { ContactController(engine: self) }
    nonisolated var push: PushController { PushController(engine: self) }
    nonisolated var badge: BadgeController { BadgeController(engine: self) }
    nonisolated var messageCenter: MessageCenterController { MessageCenterController(engine: self) }
    nonisolated var inApp: InAppController { InAppController(engine: self) }
}
