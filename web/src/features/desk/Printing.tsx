import { ActionIcon, Checkbox, NativeSelect, Stack } from '@mantine/core'
import { Printer } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../lib/messages'
import { RECEIPT_PAPERS, useReceiptPaper } from '../../print/paper'
import { Dialog } from '../../ui/Dialog'
import { slipsPrintThemselves } from '../holds'

/**
 * Printing options of this desk, stored in the browser: the paper for receipts, and whether slips print by themselves.
 */
export function Printing({ onClosed }: { onClosed: () => void }) {
  const [opened, setOpened] = useState(false)
  const close = () => {
    setOpened(false)
    onClosed()
  }
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('desk.printing.title')}
        title={t('desk.printing.title')}
        onClick={() => setOpened(true)}
      >
        <Printer />
      </ActionIcon>
      {opened && <Options onClose={close} />}
    </>
  )
}

function Options({ onClose }: { onClose: () => void }) {
  const [paper, choosePaper] = useReceiptPaper()
  const [slips, setSlips] = useState(slipsPrintThemselves.isOn)
  return (
    <Dialog onClose={onClose} title={t('desk.printing.title')}>
      <Stack>
        <Checkbox
          label={t('desk.printing.slips')}
          description={t('desk.printing.slipsHint')}
          checked={slips}
          data-autofocus
          onChange={({ currentTarget: { checked } }) => {
            slipsPrintThemselves.switch(checked)
            setSlips(checked)
          }}
        />
        <NativeSelect
          label={t('desk.printing.paper')}
          value={paper}
          data={RECEIPT_PAPERS.map((name) => ({ value: name, label: t(`money.receipt.paper.${name}`) }))}
          onChange={({ currentTarget: { value } }) =>
            choosePaper(RECEIPT_PAPERS.find((name) => name === value) ?? paper)
          }
        />
      </Stack>
    </Dialog>
  )
}
