import {
  DeviceBody,
  DeviceList,
  NewDevice,
  RenewDeviceBody,
  RenewedDevice,
  SeenBody,
  SeenDevice,
} from '../channels/devices.ts'
import { NotificationPreferences, NotificationSettings } from '../channels/preferences.ts'
import { type Contracts, EMPTY, PEOPLE } from '../contract.ts'

/** How and where people are told: their preferences, and browsers that get push messages. */
export const deviceContracts = {
  'GET /v1/me/notifications': {
    tag: 'People',
    who: PEOPLE,
    summary: 'How you want to be told: channels in their order, and quiet hours.',
    answer: 'Your preferences, and the channels there are.',
    responses: { 200: NotificationSettings },
  },
  'PUT /v1/me/notifications': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Change how you want to be told. What is left out is the default.',
    body: NotificationPreferences,
    answer: 'Your preferences, and the channels there are.',
    responses: { 200: NotificationSettings },
  },
  'GET /v1/devices': {
    tag: 'People',
    who: PEOPLE,
    summary:
      'Browsers in which you turned push messages on, and the key that browsers subscribe to.',
    answer: 'Your devices.',
    responses: { 200: DeviceList },
  },
  'POST /v1/devices': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Turn push messages on for this browser. It belongs to you until you sign out in it.',
    body: DeviceBody,
    answer: 'The device.',
    responses: { 201: NewDevice },
    errors: ['push_off', 'usage'],
  },
  'POST /v1/devices/seen': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Say that this browser is used by you now. It stops being a device of another person.',
    body: SeenBody,
    answer: 'The device, if it is one of yours.',
    responses: { 200: SeenDevice },
  },
  'POST /v1/devices/renew': {
    tag: 'People',
    who: ['anyone'],
    summary: 'Name a new endpoint of a device, with the secret that its service worker holds.',
    body: RenewDeviceBody,
    answer: 'Another secret for the next time.',
    responses: { 200: RenewedDevice },
    errors: ['device_unknown', 'push_off', 'usage'],
  },
  'POST /v1/devices/:device/test': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Send a test message to a device of your own.',
    answer: 'Nothing: the push service took it.',
    responses: { 204: EMPTY },
    errors: ['device_unknown', 'push_failed', 'push_off'],
  },
  'DELETE /v1/devices/:device': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Turn push messages off for a device of your own.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
    errors: ['device_unknown'],
  },
} as const satisfies Contracts
