import { Alert, Button, Group, Menu, Text, TextInput } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { uidOf } from '../../api/account'
import { useAction } from '../../api/action'
import { erasePerson, personData, setActive } from '../../api/people'
import { endSessionsOf, resetSecondFactorOf } from '../../api/security'
import type { Person } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { MergeDialog } from './MergeDialog'
import { NoDuesOfPerson } from './NoDuesDialogs'
import { PersonDialog } from './PersonDialog'
import { PhotoDialog } from './PhotoDialog'
import { RoleDialog } from './RoleDialog'
import { SignInCode } from './SignInCode'

type Asked =
  | 'edit'
  | 'photo'
  | 'code'
  | 'signOut'
  | 'secondFactor'
  | 'deactivate'
  | 'noDues'
  | 'role'
  | 'unmake'
  | 'merge'
  | 'erase'

/** A librarian's actions on a person's record. */
export function PersonActions({ person }: { person: Person }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  const uid = uidOf(useQueryClient())
  const activate = useAction(setActive, {
    done: ({ name, active }) => t(active ? 'people.active.done' : 'people.inactive.done', { name }),
    failed: (reason) => t('people.active.failed', { reason }),
  })

  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => setAsked('edit')}>
        {t('people.edit')}
      </Button>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown data-size="16" />}>
            {t('people.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked('photo')}>{t('people.photo.open')}</Menu.Item>
          {person.active && <Menu.Item onClick={() => setAsked('code')}>{t('people.code.open')}</Menu.Item>}
          {person.canSignIn && person.uid !== uid && (
            <Menu.Item onClick={() => setAsked('signOut')}>{t('people.signOut.open')}</Menu.Item>
          )}
          {person.secondFactor && person.uid !== uid && (
            <Menu.Item onClick={() => setAsked('secondFactor')}>{t('people.secondFactor.open')}</Menu.Item>
          )}
          {person.active ? (
            <Menu.Item onClick={() => setAsked('deactivate')}>{t('people.deactivate')}</Menu.Item>
          ) : (
            <Menu.Item onClick={() => void activate.run({ uid: person.uid, active: true })}>
              {t('people.activate')}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => setAsked('noDues')}>{t('people.noDues.title')}</Menu.Item>
          <Menu.Item onClick={() => setAsked('role')}>
            {t(person.role === 'admin' ? 'people.role.changeOpen' : 'people.role.makeOpen')}
          </Menu.Item>
          {person.role === 'admin' && (
            <Menu.Item onClick={() => setAsked('unmake')}>{t('people.role.unmakeOpen')}</Menu.Item>
          )}
          <Menu.Item component="a" href={personData(person.uid)} download>
            {t('people.export')}
          </Menu.Item>
          <Menu.Item onClick={() => setAsked('merge')}>{t('people.merge.open')}</Menu.Item>
          <Menu.Item color="red" onClick={() => setAsked('erase')}>
            {t('people.erase')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === 'edit' && <PersonDialog person={person} onClose={close} />}
      {asked === 'photo' && <PhotoDialog person={person} onClose={close} />}
      {asked === 'code' && <SignInCode person={person} onClose={close} />}
      {asked === 'signOut' && <SignOut person={person} onClose={close} />}
      {asked === 'secondFactor' && <ResetSecondFactor person={person} onClose={close} />}
      {asked === 'noDues' && <NoDuesOfPerson person={person} onClose={close} />}
      {asked === 'role' && <RoleDialog person={person} onClose={close} />}
      {asked === 'unmake' && <RoleDialog person={person} unmake onClose={close} />}
      {asked === 'merge' && <MergeDialog person={person} onClose={close} />}
      {asked === 'erase' && <Erase person={person} onClose={close} />}
      {asked === 'deactivate' && (
        <Deactivate
          person={person}
          pending={activate.pending}
          onConfirm={(reason) => {
            void activate.run({ uid: person.uid, active: false, reason }).then(({ ok }) => ok && close())
          }}
          onClose={close}
        />
      )}
    </Group>
  )
}

/** Ends all sessions of a person, for instance after a phone was lost. */
function SignOut({ person, onClose }: { person: Person; onClose: () => void }) {
  const { name } = person
  const end = useAction(endSessionsOf, {
    done: () => t('people.signOut.done', { name }),
    failed: (reason) => t('people.signOut.failed', { reason }),
  })
  return (
    <ConfirmModal
      opened
      title={t('people.signOut.question', { name })}
      confirm={t('people.signOut.confirm')}
      pending={end.pending}
      onConfirm={() => void end.run(person.uid).then(onClose)}
      onClose={onClose}
    >
      {t('people.signOut.what')}
    </ConfirmModal>
  )
}

/** Resets a second factor whose app and recovery codes are lost. */
function ResetSecondFactor({ person, onClose }: { person: Person; onClose: () => void }) {
  const { name } = person
  const reset = useAction(resetSecondFactorOf, {
    done: () => t('people.secondFactor.done', { name }),
    failed: (reason) => t('people.secondFactor.failed', { reason }),
  })
  return (
    <ConfirmModal
      opened
      title={t('people.secondFactor.question', { name })}
      confirm={t('people.secondFactor.confirm')}
      pending={reset.pending}
      onConfirm={() => void reset.run(person.uid).then(onClose)}
      onClose={onClose}
    >
      {t('people.secondFactor.what')}
    </ConfirmModal>
  )
}

function Erase({ person, onClose }: { person: Person; onClose: () => void }) {
  const navigate = useNavigate()
  const erase = useAction(erasePerson, { done: () => t('people.erase.done') })
  const [typed, setTyped] = useState('')
  const word = person.rollNumber ?? person.name
  return (
    <ConfirmModal
      opened
      danger
      title={t('people.erase.question', { name: person.name })}
      confirm={t('people.erase')}
      pending={erase.pending}
      disabled={typed.trim().toLowerCase() !== word.trim().toLowerCase()}
      onConfirm={() => {
        void erase.run(person.uid).then(({ ok }) => ok && navigate(paths.people(), { replace: true }))
      }}
      onClose={onClose}
    >
      <Text>{t('people.erase.what')}</Text>
      <TextInput
        mt="md"
        label={t(person.rollNumber === null ? 'people.erase.typeName' : 'people.erase.typeNumber', { word })}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {erase.error !== null && (
        <Alert color="red" role="alert" mt="md">
          {messageOf(erase.error)}
        </Alert>
      )}
    </ConfirmModal>
  )
}

type DeactivateProps = { person: Person; pending: boolean; onConfirm: (reason: string) => void; onClose: () => void }

function Deactivate({ person, pending, onConfirm, onClose }: DeactivateProps) {
  const [reason, setReason] = useState('')
  return (
    <ConfirmModal
      opened
      title={t('people.deactivate.question', { name: person.name })}
      confirm={t('people.deactivate')}
      pending={pending}
      onConfirm={() => onConfirm(reason)}
      onClose={onClose}
    >
      <Text>{t('people.deactivate.what')}</Text>
      {person.openLoans > 0 && <Text mt="xs">{t('people.deactivate.open', { count: person.openLoans })}</Text>}
      <TextInput
        mt="md"
        label={t('people.deactivate.reason')}
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmModal>
  )
}
